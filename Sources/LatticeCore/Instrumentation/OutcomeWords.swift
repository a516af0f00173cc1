// The words for outcomes in the labels of metrics and the attributes of spans. They are few, and they contain nothing
// that a program or a user chooses, apart from the names of limits.

extension EventOutcome {
    /// The outcome in one word.
    package var word: String {
        switch self {
        case .finished: "finished"
        case .failed: "failed"
        case .cancelled: "cancelled"
        case .rejected: "rejected"
        case .interrupted: "interrupted"
        case .unknown: "unknown"
        }
    }

    /// The reason for the outcome, or an empty text if the word says everything.
    package var errorType: String {
        switch self {
        case .rejected(let rejection): rejection.code.description
        case .interrupted(let interruption): interruption.cause.word
        case .finished, .failed, .cancelled, .unknown: ""
        }
    }
}

extension Interruption.Cause {
    /// The kind of the cause.
    package var word: String {
        switch self {
        case .exit: "exit"
        case .signal(let number): "signal \(number)"
        case .hang: "hang"
        case .limit(let name): "limit \(name)"
        case .disconnected: "disconnected"
        case .lackOfResources: "lack of resources"
        case .group: "group"
        case .statusLost: "status lost"
        case .requested: "requested"
        case .other: "other"
        }
    }
}
