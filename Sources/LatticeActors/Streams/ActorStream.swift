/// The result of a method that answers with a sequence of values.
///
/// ```swift
/// distributed func lines(of path: String) throws -> ActorStream<String> {
///     ActorStream(try FileLines(path))
/// }
///
/// for try await line in try await reader.lines(of: path) { print(line) }
/// ```
///
/// The call runs until the stream ends. The stream ends together with the sequence: after its last element, or with the
/// error that the sequence throws. Dropping the stream, or cancelling the task that waits for an element, cancels the
/// call and the task that iterates over the sequence. A deadline of the call applies to the whole stream.
///
/// The sequence is asked for the next element while less than 64 KiB of encoded elements are unread, and otherwise it
/// is not asked. A sequence that creates its elements on demand, such as `AsyncThrowingStream(unfolding:)`, therefore
/// never gets far ahead of its reader, and no unread elements pile up. A sequence that is filled independently, such as
/// an `AsyncStream` with a continuation, keeps its elements in its own buffer, within the limit of that buffer.
///
/// An encoded element has at most 4 MiB. A larger one ends the stream with ``ActorCallError/Code/tooLarge``. An
/// ``ActorPool`` counts the call as ended when the stream begins, unless the stream is read inside the closure that
/// makes the call.
///
/// A stream can only be the whole result of a method. It cannot be encoded as an argument, or as a part of a value or a
/// state. A stream from another process is read once, by one task. In the process of its actor, the stream is the
/// sequence itself.
public struct ActorStream<Element: Codable & Sendable>: AsyncSequence, Sendable {
    private enum Source: Sendable {
        case here(iterate: @Sendable () -> any AsyncIteratorProtocol<Element, any Error>, StreamedElements)
        case elsewhere(StreamReader)
    }

    private let source: Source

    /// Creates a stream from an asynchronous sequence.
    ///
    /// - Parameter elements: The sequence. The task of the call iterates over it.
    public init<Elements: AsyncSequence & Sendable>(_ elements: Elements) where Elements.Element == Element {
        let sent = StreamedElements { send in
            for try await element in elements { try await send(try StreamedElements.encoded(element)) }
        }
        source = .here(iterate: { ThrowingIterator(elements.makeAsyncIterator()) }, sent)
    }

    /// Creates a stream from a sequence whose elements are available, or are created on demand, without waiting.
    ///
    /// - Parameter elements: The sequence. The task of the call iterates over it.
    public init<Elements: Sequence & Sendable>(_ elements: Elements) where Elements.Element == Element {
        self.init(PlainElements(base: elements))
    }

    /// Returns an iterator over the elements.
    public func makeAsyncIterator() -> Iterator {
        switch source {
        case .here(let iterate, _): Iterator(.here(iterate()))
        case .elsewhere(let reader): Iterator(.elsewhere(reader, ElementReader(isFirst: reader.begin())))
        }
    }

    /// An iterator over the elements of a stream.
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

        /// Returns the next element, or nil after the last one.
        public mutating func next() async throws -> Element? {
            try await next(isolation: nil)
        }

        /// Returns the next element, or nil after the last one.
        ///
        /// - Throws: Any error of the sequence. For a stream from another process, the errors of a call:
        ///   ``ActorCallError``, a registered error, and `CancellationError` when the task is cancelled.
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
    /// Creates a stream that stands for the result of a call.
    ///
    /// - Throws: An error, if the value is not the result of a method.
    public init(from decoder: any Decoder) throws {
        guard decoder.codingPath.isEmpty, let reader = StreamReader.result else {
            throw StreamedElements.misplaced
        }
        reader.take()
        source = .elsewhere(reader)
    }

    /// Throws the elements of the stream, which are sent in place of an encoded value.
    ///
    /// - Throws: Always.
    public func encode(to encoder: any Encoder) throws {
        guard case .here(_, let elements) = source, encoder.codingPath.isEmpty else { throw StreamedElements.misplaced }
        throw elements
    }
}

/// An asynchronous sequence over the elements of an ordinary sequence.
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

/// An iterator that erases the type of the errors of another iterator.
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
