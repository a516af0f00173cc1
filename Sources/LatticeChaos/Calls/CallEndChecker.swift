import LatticeActors

/// Whether the end of one call fits what was asked, what happened to it, and how often it has begun.
struct CallEndChecker {
    let record: CallRecord
    let begun: Int
    /// Whether anything was to happen to workers or connections.
    let hasFaults: Bool

    private var call: ChaosCall { record.call }
    private var wasCancelled: Bool { call.cancelling != .never }

    /// What does not fit, to stand behind the call's name. That it has begun twice is said elsewhere.
    var fault: String? {
        if call.cancelling == .before, begun > 0 { return "has begun, and was cancelled before it was made" }
        switch record.end {
        case .never:
            return "has not ended"
        case .returned(let isRight):
            guard isRight else { return "returned what is no answer to it" }
            return faultOfAnswer(by: [.answer, .spin, .callBack])
        case .failed(let isRight):
            guard isRight else { return "threw what is no answer to it" }
            return faultOfAnswer(by: [.fail])
        case .untold:
            return faultOfAnswer(by: [.failUntold])
        case .unconfirmed(let code):
            return faultOfAnswer(by: [.callBack]) ?? faultOfCode(.init(rawValue: code))
        case .cancelled:
            return wasCancelled ? nil : "was cancelled by nobody"
        case .lacksAnswer(let code, let delivery):
            if delivery == .notSent, begun > 0 { return "\(record.end), and has begun" }
            return faultOfCode(code)
        case .other:
            return "\(record.end)"
        }
    }

    /// The caller's actor hears of a call once at most, and of one that returned.
    var faultOfConfirmations: String? {
        guard call.method == .callBack else {
            return record.confirmations == 0 ? nil : "was called back, which nobody asked for"
        }
        if record.confirmations > 1 { return "was called back \(record.confirmations) times" }
        if case .returned = record.end, record.confirmations == 0 { return "returned without having called back" }
        return nil
    }

    private func faultOfAnswer(by methods: [ChaosCall.Method]) -> String? {
        if !methods.contains(call.method) { return "\(record.end), which it cannot" }
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
        return isExpected ? nil : "\(record.end), for which there is no reason"
    }
}
