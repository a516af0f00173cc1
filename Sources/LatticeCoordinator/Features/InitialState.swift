import LatticeCoding
import LatticeHosting

/// What a new instance starts from instead of what its feature says, as a value and as a worker gets it.
struct InitialState<State: Encodable & Sendable>: Sendable {
    let state: State
    let bytes: [UInt8]

    /// Encodes it, which may take long, on another thread than the caller's.
    ///
    /// - Throws: ``CoordinatorError`` if it cannot be encoded, or takes more bytes than `maximum`.
    @concurrent static func encoding(
        _ state: State,
        of feature: String,
        maximum: Int
    ) async throws(CoordinatorError) -> InitialState {
        let bytes: [UInt8]
        do {
            bytes = try CBOREncoder().encode(state)
        } catch {
            throw .invalid(
                "the state that \"\(feature)\" is to start from cannot be encoded \(CodingFailure.sentence(error))"
            )
        }
        guard bytes.count <= maximum else {
            throw .invalid(
                "the state that \"\(feature)\" is to start from has \(bytes.count) bytes, and at most \(maximum) are"
                    + " allowed; make it smaller, or raise maximumStateBytes"
            )
        }
        return InitialState(state: state, bytes: bytes)
    }
}
