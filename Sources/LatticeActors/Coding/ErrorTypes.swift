import LatticeCoding
import LatticeConcurrency

/// The errors that travel as values, by the names of their types.
final class ErrorTypes: Sendable {
    private struct Coder: Sendable {
        let encode: @Sendable (any Error) throws -> [UInt8]?
        let decode: @Sendable ([UInt8]) throws -> any Error
    }

    private let coders = Locked<[String: Coder]>([:])

    static func name(of type: any Error.Type) -> String { String(reflecting: type) }

    func add<Failure: Error & Codable>(_ type: Failure.Type) {
        let coder = Coder(
            encode: { error in try (error as? Failure).map { try CBOREncoder().encode($0) } },
            decode: { try CBORDecoder().decode(Failure.self, from: $0) }
        )
        coders.withLock { $0[Self.name(of: type)] = coder }
    }

    /// nil: its type is not registered, or it cannot be encoded.
    func encoded(_ error: any Error) -> [UInt8]? {
        let coder = coders.withLock { $0[Self.name(of: Swift.type(of: error))] }
        // What cannot be encoded is told as one that is not registered is.
        return try? coder?.encode(error)
    }

    /// nil: its type is not registered here.
    func error(named name: String, _ bytes: [UInt8]) throws -> (any Error)? {
        try coders.withLock { $0[name] }?.decode(bytes)
    }
}
