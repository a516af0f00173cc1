import LatticeActors

/// Checks whether the end of a call fits to its method, to what happened to it, and to how often it has begun.
struct CallEndChecker {
    let record: CallRecord
    let begun: Int
    /// A Boolean value that indicates whether faults of workers or connections were planned.
    let hasFaults: Bool

    private var call: ChaosCall { record.call }
    private var wasCancelled: Bool { call.cancelling != .never }

    /// The violation, which follows the call's name in a sentence. That a call has begun twice is reported elsewhere.
    var fault: String? {
        if call.cancelling == .before, begun > 0 { return "has begun, and was cancelled before it was made" }
        switch record.end {
        case .never:
            return "has not ended"
        case .returned(let isRight):
            guard isRight else { return "returned a wrong answer" }
            return faultOfAnswer(by: [.answer, .spin, .callBack])
        case .failed(let isRight):
            guard isRight else { return "threw a wrong answer" }
            return faultOfAnswer(by: [.fail])
        case .unregistered:
            return faultOfAnswer(by: [.failUnregistered])
        case .unconfirmed(let code):
            return faultOfAnswer(by: [.callBack]) ?? faultOfCode(.init(description: code))
        case .cancelled:
            return wasCancelled ? nil : "was cancelled without a request"
        case .lacksAnswer(let code, let delivery):
            if delivery == .notSent, begun > 0 { return "\(record.end), and has begun" }
            return faultOfCode(code)
        case .other:
            return "\(record.end)"
        }
    }

    /// A violation concerning confirmations. A call is confirmed to the caller's actor at most once, and a call that
    /// returned is confirmed.
    var faultOfConfirmations: String? {
        guard call.method == .callBack else {
            return record.confirmations == 0 ? nil : "was called back without a request"
        }
        if record.confirmations > 1 { return "was called back \(record.confirmations) times" }
        if case .returned = record.end, record.confirmations == 0 { return "returned without having called back" }
        return nil
    }

    private func faultOfAnswer(by methods: [ChaosCall.Method]) -> String? {
        if !methods.contains(call.method) { return "\(record.end), which is impossible" }
        return begun == 0 ? "\(record.end), and has not begun" : nil
    }

    private func faultOfCode(_ code: ActorCallError.Code) -> String? {
        let isExpected =
            switch code {
            case .lost, .unknownProcess: hasFaults
            case .deadlinePassed: call.mayExpire
            case .cancelled: wasCancelled
            default: false
            }
        return isExpected ? nil : "\(record.end), which was not expected"
    }
}
