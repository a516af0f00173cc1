import LatticeActors

/// A call of a round, and how it ended.
struct CallRecord: Equatable, Sendable {
    /// How a call ended, as far as it matters here.
    enum End: Equatable, Sendable {
        /// Not within the limit.
        case never
        /// With an answer: the one to its question, or another one.
        case returned(isRight: Bool)
        /// With the error that it asked for, which tells the answer in the same way.
        case failed(isRight: Bool)
        /// The caller's actor did not answer the method: the code.
        case unconfirmed(String)
        /// With an error that nobody has registered, told by its type alone.
        case untold
        /// With `CancellationError`.
        case cancelled
        case lacksAnswer(ActorCallError.Code, ActorCallError.Delivery)
        /// What there is no reason for here.
        case other(String)
    }

    let call: ChaosCall
    let end: End
    /// How often the caller's actor was told of it.
    var confirmations = 0
}

extension CallRecord.End {
    init(_ error: any Error, of question: ChaosQuestion) {
        self =
            switch error {
            case is CancellationError: .cancelled
            case ChaosCallFailure.asked(let answer): .failed(isRight: answer == question.answer)
            case ChaosCallFailure.unconfirmed(let code): .unconfirmed(code)
            case let error as ActorCallError where error.code == .threw && error.errorType == Self.untoldType: .untold
            case let error as ActorCallError: .lacksAnswer(error.code, error.delivery)
            default: .other("\(error)")
            }
    }

    private static var untoldType: String { String(reflecting: UntoldChaosFailure.self) }

    /// For a count of how calls ended, and for a sentence.
    var name: String {
        switch self {
        case .never: "never ended"
        case .returned: "returned"
        case .failed, .untold: "threw"
        case .unconfirmed: "not called back"
        case .cancelled: "cancelled"
        case .lacksAnswer(_, .notSent): "not sent"
        case .lacksAnswer(let code, .mayHaveBegun): "\(code)"
        case .other: "ended otherwise"
        }
    }

    /// Whether an answer may come when nobody waits for it any more.
    var mayBeAnsweredLate: Bool {
        if case .lacksAnswer(_, .mayHaveBegun) = self { true } else { false }
    }
}

extension CallRecord.End: CustomStringConvertible {
    var description: String {
        switch self {
        case .lacksAnswer(let code, let delivery): "ended with \(code), \(delivery)"
        case .other(let error): "ended with \(error)"
        case .unconfirmed(let code): "was not called back: \(code)"
        default: name
        }
    }
}
