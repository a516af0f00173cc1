import LatticeCore

// The values of labels. They are few, and they never contain what a program or a user chooses, apart from the names of
// features, groups, methods and limits.

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
