import LatticeActors

/// A call of a round, and how it ended.
struct CallRecord: Equatable, Sendable {
    /// The end of a call, as far as it matters for the checks.
    enum End: Equatable, Sendable {
        /// It did not end within the time.
        case never
        /// It returned an answer, which is correct or not.
        case returned(isRight: Bool)
        /// It threw the requested error, whose answer is correct or not.
        case failed(isRight: Bool)
        /// The caller's actor did not confirm the call to the method. The value is the code.
        case unconfirmed(String)
        /// It threw an error that is not registered, which is known by its type only.
        case unregistered
        /// It threw `CancellationError`.
        case cancelled
        /// It has no answer for this reason.
        case lacksAnswer(ActorCallError.Code, ActorCallError.Delivery)
        /// It ended in an unexpected way.
        case other(String)
    }

    let call: ChaosCall
    let end: End
    /// The number of confirmations to the caller's actor.
    var confirmations = 0
}

extension CallRecord.End {
    init(_ error: any Error, of question: ChaosQuestion) {
        self =
            switch error {
            case is CancellationError: .cancelled
            case ChaosCallFailure.asked(let answer): .failed(isRight: answer == question.answer)
            case ChaosCallFailure.unconfirmed(let code): .unconfirmed(code)
            case let error as ActorCallError where error.code == .threw && error.errorType == Self.unregisteredType:
                .unregistered
            case let error as ActorCallError: .lacksAnswer(error.code, error.delivery)
            default: .other("\(error)")
            }
    }

    private static var unregisteredType: String { String(reflecting: UnregisteredChaosFailure.self) }

    /// A short name for counting the ends of calls, and for sentences.
    var name: String {
        switch self {
        case .never: "never ended"
        case .returned: "returned"
        case .failed, .unregistered: "threw"
        case .unconfirmed: "not called back"
        case .cancelled: "cancelled"
        case .lacksAnswer(_, .notSent): "not sent"
        case .lacksAnswer(let code, .mayHaveBegun): "\(code)"
        case .other: "ended otherwise"
        }
    }

    /// A Boolean value that indicates whether an answer may arrive when no caller waits any more.
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
