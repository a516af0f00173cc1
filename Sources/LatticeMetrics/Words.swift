import LatticeCore

// The values of labels. They are few, and they never contain what a program or a user chooses, apart from the names of
// features, groups, methods and limits.

extension EventOutcome {
    /// The outcome in one word.
    var word: String {
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
    var errorType: String {
        switch self {
        case .rejected(let rejection): rejection.code.description
        case .interrupted(let interruption): interruption.cause.word
        case .finished, .failed, .cancelled, .unknown: ""
        }
    }
}

extension Interruption.Cause {
    /// The kind of the cause.
    var word: String {
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

extension RuntimeEvent.Termination.Verdict {
    /// The decision in words.
    var word: String {
        switch self {
        case .restart: "restart"
        case .giveUp: "give up"
        case .stop: "stop"
        }
    }
}

extension RuntimeEvent.Rejection {
    /// The reason in words.
    var word: String {
        switch self {
        case .tooManyClients: "too many clients"
        case .silent: "silent"
        case .otherUser: "other user"
        }
    }
}

extension RuntimeEvent.Peer {
    /// The role of the other side.
    var word: String {
        switch self {
        case .worker: "worker"
        case .client: "client"
        case .coordinator: "coordinator"
        }
    }
}
