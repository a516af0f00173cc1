import DequeModule

/// Which process each node is, as far as the sessions of this one show. It does no I/O.
///
/// A client proves that it is the process of before by the identity in its hello, which no other process is told. A
/// node that came without an identity, as a worker does, comes once.
struct NodeOwners {
    private struct Owner {
        /// Empty: it does not come back.
        let identity: [UInt8]
        var sessions: Int
    }

    private var owners: [NodeID: Owner] = [:]
    /// Those without a session, the one that has been away for the longest first.
    private var absent: Deque<NodeID> = []

    /// A session with a node begins.
    ///
    /// - Parameter identity: What proves that it is the same process as before; empty if nothing does.
    /// - Returns: Whether the node is that process; false if it is another one's.
    mutating func connects(_ node: NodeID, identity: [UInt8]) -> Bool {
        guard let owner = owners[node] else {
            owners[node] = Owner(identity: identity, sessions: 1)
            return true
        }
        guard !identity.isEmpty, owner.identity == identity else { return false }
        if owner.sessions == 0 { absent.removeAll { $0 == node } }
        owners[node]?.sessions += 1
        return true
    }

    /// A session with a node has ended.
    mutating func disconnects(_ node: NodeID) {
        owners[node]?.sessions -= 1
        guard owners[node]?.sessions == 0 else { return }
        absent.append(node)
        if absent.count > CallLimits.maximumAbsentNodes, let first = absent.popFirst() { owners[first] = nil }
    }
}
