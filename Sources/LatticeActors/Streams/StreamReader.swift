import LatticeCoding
import LatticeConcurrency
import LatticeSession

/// A stream from another process: its call goes on as long as somebody has this.
final class StreamReader: Sendable {
    /// What a result that is a stream is read from.
    @TaskLocal static var result: StreamReader?

    let stream: IncomingStream
    let system: LatticeActorSystem
    /// Whose it is, for people.
    let call: String
    let id: LatticeActorID
    private let hasBegun = Locked(false)
    private let taken = Locked(false)

    /// A stream came where none is a result.
    struct Unwanted: Error, CustomStringConvertible {
        var description: String { "it is a stream" }
    }

    init(_ stream: IncomingStream, of call: String, at id: LatticeActorID, _ system: LatticeActorSystem) {
        self.stream = stream
        self.call = call
        self.id = id
        self.system = system
    }

    /// Whether a stream was made of it.
    var isTaken: Bool { taken.withLock(\.self) }

    func take() {
        taken.withLock { $0 = true }
    }

    /// - Returns: Whether nobody reads it yet.
    func begin() -> Bool {
        hasBegun.withLock { hasBegun in
            defer { hasBegun = true }
            return !hasBegun
        }
    }
}

/// Reads the elements that came in one message after the other.
struct ElementReader {
    private let isFirst: Bool
    private var bytes: [UInt8] = []
    private var offset = 0

    /// - Parameter isFirst: Whether nobody else reads the stream.
    init(isFirst: Bool) {
        self.isFirst = isFirst
    }

    mutating func next<Element: Decodable>(of reader: StreamReader) async throws -> Element? {
        guard isFirst else { throw alreadyRead(reader) }
        guard !Task.isCancelled else { throw CancellationError() }
        while offset == bytes.count {
            switch await reader.stream.next() {
            case .elements(let next): (bytes, offset) = (next, 0)
            // A copy of this iterator waits.
            case .busy: throw alreadyRead(reader)
            case .end(let reply):
                guard !Task.isCancelled else { throw CancellationError() }
                try reader.system.check(reply, of: reader.call, at: reader.id)
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
            "\(reader.call) is read by somebody else already; a stream from another process is read once",
            .mayHaveBegun
        )
    }
}
