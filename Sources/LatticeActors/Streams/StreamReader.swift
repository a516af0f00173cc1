import LatticeCalls
import LatticeCoding
import LatticeConcurrency

/// A stream from another process. Its call continues while a reference to the reader exists.
final class StreamReader: Sendable {
    /// The reader from which a result that is a stream is decoded.
    @TaskLocal static var result: StreamReader?

    let stream: IncomingStream
    let system: LatticeActorSystem
    /// A description of the call, for error messages.
    let call: String
    /// The identity of the actor that sends the stream.
    let id: LatticeActorID
    private let hasBegun = Locked(false)
    private let taken = Locked(false)

    /// The error of a stream that arrived where the result is not a stream.
    struct Unwanted: Error, CustomStringConvertible {
        var description: String { "the result is a stream" }
    }

    init(_ stream: IncomingStream, of call: String, at id: LatticeActorID, _ system: LatticeActorSystem) {
        self.stream = stream
        self.call = call
        self.id = id
        self.system = system
    }

    /// A Boolean value that indicates whether an ``ActorStream`` was created from the reader.
    var isTaken: Bool { taken.withLock(\.self) }

    func take() {
        taken.withLock { $0 = true }
    }

    /// Starts reading.
    ///
    /// - Returns: True for the first caller. Each later caller gets false, since only one may read.
    func begin() -> Bool {
        hasBegun.withLock { hasBegun in
            defer { hasBegun = true }
            return !hasBegun
        }
    }
}

/// Decodes the elements of a stream from the messages that contain them.
struct ElementReader {
    private let isFirst: Bool
    private var bytes: [UInt8] = []
    private var offset = 0

    /// - Parameter isFirst: Whether this is the first iterator over the stream.
    init(isFirst: Bool) {
        self.isFirst = isFirst
    }

    mutating func next<Element: Decodable>(of reader: StreamReader) async throws -> Element? {
        guard isFirst else { throw alreadyRead(reader) }
        guard !Task.isCancelled else { throw CancellationError() }
        while offset == bytes.count {
            switch await reader.stream.next() {
            case .elements(let next): (bytes, offset) = (next, 0)
            // A copy of this iterator is waiting.
            case .busy: throw alreadyRead(reader)
            case .end(let outcome):
                guard !Task.isCancelled else { throw CancellationError() }
                try reader.system.value(of: outcome, of: reader.call, at: reader.id)
                return nil
            }
        }
        do {
            return try bytes.withUnsafeBytes { bytes in
                try CBORDecoder.next(Element.self, in: bytes, at: &offset, for: reader.system.actors)
            }
        } catch {
            reader.stream.cancel()
            throw ActorCallError.undecodableResult(reader.call, error)
        }
    }

    private func alreadyRead(_ reader: StreamReader) -> ActorCallError {
        ActorCallError(
            .refused,
            "another reader reads \(reader.call) already; a stream from another process is read once",
            .mayHaveBegun
        )
    }
}
