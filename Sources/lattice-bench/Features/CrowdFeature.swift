import LatticeCore

/// A feature that shows which clients have it open, and in which processes they are.
enum CrowdFeature: PresenceFeature {
    /// The process of a client that has come, or nil for one that has gone.
    struct Change: Codable, Sendable {
        let client: String
        let processID: Int32?
    }

    /// The changes of the clients, in their order.
    typealias Action = [Change]

    struct Crowd: Patchable, Sendable {
        /// The processes of the clients.
        var clients: StateDictionary<String, Int32> = [:]

        func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
            try patch.field("clients", from: old.clients, to: clients)
        }

        mutating func apply(_ patch: inout PatchDecoder) throws {
            try patch.fields { name, patch in
                guard name == "clients" else { throw patch.unknownField(name) }
                try patch.apply(to: &clients)
            }
        }

        /// Returns whether each of these processes has a number of clients, and no other process has any.
        func consists(of processes: [Int32], each count: Int) -> Bool {
            guard clients.count == processes.count * count else { return false }
            var counts = Dictionary(uniqueKeysWithValues: processes.map { ($0, 0) })
            for (_, process) in clients { counts[process]? += 1 }
            return counts.values.allSatisfy { $0 == count }
        }
    }

    static let identifier = "bench-crowd"
    static func initialDomainState(in context: HostContext) -> Crowd { Crowd() }

    static func action(for presence: Presence, in state: Crowd) -> Action? {
        presence.changes.map { change in
            switch change {
            case .joined(let client): Change(client: client.sender, processID: client.processID ?? 0)
            case .left(let client), .lost(let client): Change(client: client.sender, processID: nil)
            }
        }
    }

    static func interactor(in context: HostContext) -> Interact<Crowd, Action> {
        Interact { crowd, changes in
            for change in changes { crowd.clients[change.client] = change.processID }
            return .none
        }
    }

    static func reducer() -> BuildViewState<Crowd, Crowd> { .asItIs }
}
