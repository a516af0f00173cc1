import LatticeCoding
package import LatticeSession

/// What a new instance starts from instead of what its feature says: as a worker gets it, and what that makes of it.
package struct InitialState<State: Sendable>: Sendable {
    package let state: State
    package let bytes: [UInt8]
}

extension InitialState where State: Codable {
    /// Encodes it and decodes that, which may take long, on another thread than the caller's.
    ///
    /// - Throws: `ConfigurationError` if it cannot be encoded or decoded, or takes more bytes than `maximum`.
    @concurrent package static func coding(
        _ state: State,
        of feature: String,
        maximum: Int
    ) async throws(ConfigurationError) -> InitialState {
        let problem: String
        do {
            let bytes = try CBOREncoder().encode(state)
            if bytes.count <= maximum {
                // What stays in a worker is not in it.
                return InitialState(state: try CBORDecoder().decode(State.self, from: bytes), bytes: bytes)
            }
            problem =
                "has \(bytes.count) bytes, and at most \(maximum) are allowed; make it smaller, or raise maximumStateBytes"
        } catch {
            problem = "cannot be sent \(CodingFailure.sentence(error))"
        }
        throw ConfigurationError(message: "the state that \"\(feature)\" is to start from \(problem)")
    }
}
