/// What methods throw that both sides have registered.
enum ChaosCallFailure: Error, Codable, Equatable {
    /// It has been asked for, and tells the answer.
    case asked(ChaosAnswer)
    /// The caller's actor did not answer: the code of the error, or another one's type.
    case unconfirmed(String)
}

/// What nobody has registered.
struct UntoldChaosFailure: Error {}
