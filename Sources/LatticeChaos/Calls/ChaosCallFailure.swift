/// The errors of methods that are registered on both sides.
enum ChaosCallFailure: Error, Codable, Equatable {
    /// The requested error, which contains the answer.
    case asked(ChaosAnswer)
    /// The caller's actor did not confirm the call. The value is the code of the error, or a description.
    case unconfirmed(String)
}

/// An error that is not registered.
struct UnregisteredChaosFailure: Error {}
