import LatticeCoding
import LatticeConcurrency

/// The error types that travel as values, by the names of their types.
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

    /// Returns the encoded error, or nil if its type is not registered or its encoding fails.
    func encoded(_ error: any Error) -> [UInt8]? {
        let coder = coders.withLock { $0[Self.name(of: Swift.type(of: error))] }
        // An error that cannot be encoded is treated like an error of an unregistered type.
        return try? coder?.encode(error)
    }

    /// Decodes an error, and returns nil if its type is not registered in this process.
    func error(named name: String, _ bytes: [UInt8]) throws -> (any Error)? {
        try coders.withLock { $0[name] }?.decode(bytes)
    }
}
