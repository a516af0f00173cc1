/// What a method returns that answers with many values, one after the other.
///
/// ```swift
/// distributed func lines(of path: String) throws -> ActorStream<String> {
///     ActorStream(try FileLines(path))
/// }
///
/// for try await line in try await reader.lines(of: path) { print(line) }
/// ```
///
/// The call goes on until the stream ends. It ends with what the sequence does: at its last element, or with its error,
/// as any error of a method. Whoever lets go of the stream, or is cancelled while it waits for an element, cancels the
/// call, and with it the task that iterates over the sequence. A deadline of the call is one of the whole stream.
///
/// The sequence is asked for the next element while there are less than 64 KiB of encoded ones that nobody has taken,
/// and waits otherwise: so a sequence that makes its elements when it is asked, as `AsyncThrowingStream(unfolding:)`
/// does, is never far ahead, and nothing is kept that nobody takes. What comes by itself, as in an `AsyncStream` with a
/// continuation, is kept there, within the limit that this was made with.
///
/// An encoded element has 4 MiB at most; a larger one ends the stream with ``ActorCallError/Code/tooLarge``. A pool
/// counts the call as ended when the stream begins, unless it is read inside of what makes the call.
///
/// It is a result and nothing else: as a part of a value, an argument, or a part of a state it cannot be encoded. A
/// stream from another process is read once, by one task. In the process of its actor it is the sequence itself.
public struct ActorStream<Element: Codable & Sendable>: AsyncSequence, Sendable {
    private enum Source: Sendable {
        case here(iterate: @Sendable () -> any AsyncIteratorProtocol<Element, any Error>, StreamedElements)
        case elsewhere(StreamReader)
    }

    private let source: Source

    /// - Parameter elements: Iterated over by the task of the call.
    public init<Elements: AsyncSequence & Sendable>(_ elements: Elements) where Elements.Element == Element {
        let sent = StreamedElements { send in
            for try await element in elements { try await send(try StreamedElements.encoded(element)) }
        }
        source = .here(iterate: { ThrowingIterator(elements.makeAsyncIterator()) }, sent)
    }

    /// The same of what is there already, or is made as it is taken.
    public init<Elements: Sequence & Sendable>(_ elements: Elements) where Elements.Element == Element {
        self.init(PlainElements(base: elements))
    }

    public func makeAsyncIterator() -> Iterator {
        switch source {
        case .here(let iterate, _): Iterator(.here(iterate()))
        case .elsewhere(let reader): Iterator(.elsewhere(reader, ElementReader(isFirst: reader.begin())))
        }
    }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate enum Source {
            case here(any AsyncIteratorProtocol<Element, any Error>)
            case elsewhere(StreamReader, ElementReader)
            case ended
        }

        private var source: Source

        fileprivate init(_ source: Source) {
            self.source = source
        }

        public mutating func next() async throws -> Element? {
            try await next(isolation: nil)
        }

        /// - Throws: What the sequence throws; of another process what a call throws: ``ActorCallError``, a registered
        ///   error, and `CancellationError` when the task is cancelled.
        public mutating func next(isolation: isolated (any Actor)?) async throws -> Element? {
            let next: Element?
            switch source {
            case .here(var iterator):
                source = .ended
                next = try await iterator.next(isolation: isolation)
                if next != nil { source = .here(iterator) }
            case .elsewhere(let reader, var elements):
                source = .ended
                next = try await elements.next(of: reader)
                if next != nil { source = .elsewhere(reader, elements) }
            case .ended:
                next = nil
            }
            return next
        }
    }
}

extension ActorStream: Codable {
    /// Stands in the place of a stream where a result does.
    ///
    /// - Throws: Always, where it is not the result of a method.
    public init(from decoder: any Decoder) throws {
        guard decoder.codingPath.isEmpty, let reader = StreamReader.result else {
            throw StreamedElements.misplaced
        }
        reader.take()
        source = .elsewhere(reader)
    }

    /// - Throws: Always: whoever answers a call sends the elements in place of a value.
    public func encode(to encoder: any Encoder) throws {
        guard case .here(_, let elements) = source, encoder.codingPath.isEmpty else { throw StreamedElements.misplaced }
        throw elements
    }
}

/// A sequence that nobody waits for.
private struct PlainElements<Base: Sequence & Sendable>: AsyncSequence, Sendable where Base.Element: Sendable {
    let base: Base

    struct Iterator: AsyncIteratorProtocol {
        var base: Base.Iterator

        mutating func next() async throws -> Base.Element? {
            try Task.checkCancellation()
            return base.next()
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(base: base.makeIterator()) }
}

/// Hides what a sequence may throw.
private struct ThrowingIterator<Base: AsyncIteratorProtocol>: AsyncIteratorProtocol {
    private var base: Base

    init(_ base: Base) {
        self.base = base
    }

    mutating func next() async throws -> Base.Element? { try await base.next() }

    mutating func next(isolation: isolated (any Actor)?) async throws -> Base.Element? {
        try await base.next(isolation: isolation)
    }
}
