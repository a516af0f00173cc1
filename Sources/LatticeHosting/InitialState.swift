import LatticeCoding
package import LatticeSession

/// The state that a new instance starts from instead of its feature's initial state.
package struct InitialState<State: Sendable>: Sendable {
    /// The state as a worker decodes it from `bytes`.
    package let state: State
    /// The encoded state.
    package let bytes: [UInt8]
}

extension InitialState where State: Codable {
    /// Encodes a state and decodes the result. This may take long, so it does not run on the caller's thread.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - feature: The identifier of the feature, for error messages.
    ///   - maximum: The maximum size of the encoded state in bytes.
    /// - Throws: `ConfigurationError` if the state cannot be encoded or decoded, or is larger than `maximum`.
    @concurrent package static func coding(
        _ state: State,
        of feature: String,
        maximum: Int
    ) async throws(ConfigurationError) -> InitialState {
        let problem: String
        do {
            let bytes = try CBOREncoder().encode(state)
            if bytes.count <= maximum {
                // Decoding the bytes removes the parts that exist only inside a worker.
                return InitialState(state: try CBORDecoder().decode(State.self, from: bytes), bytes: bytes)
            }
            problem =
                "has \(bytes.count) bytes, but at most \(maximum) are allowed. Make it smaller, or raise"
                + " maximumStateBytes."
        } catch {
            problem = "cannot be sent: \(CodingFailure.sentence(error))"
        }
        throw ConfigurationError(message: "The initial state of \"\(feature)\" \(problem)")
    }
}
