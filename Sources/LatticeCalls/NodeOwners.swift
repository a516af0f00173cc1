import DequeModule

/// The processes that own the IDs of the nodes with sessions here. It does no I/O.
///
/// A client that reconnects proves that it is the same process by the identity in its `hello`, which is sent to
/// this process only. A node without an identity, such as a worker, can connect only once.
struct NodeOwners {
    private struct Owner {
        /// The identity of the process. If it is empty, the process cannot reconnect.
        let identity: [UInt8]
        var sessions: Int
    }

    private var owners: [NodeID: Owner] = [:]
    /// The nodes without a session. The one that has been absent for the longest time is first.
    private var absent: Deque<NodeID> = []

    /// Records that a session with a node begins.
    ///
    /// - Parameters:
    ///   - node: The ID of the node.
    ///   - identity: The identity that proves that this is the same process as before, or an empty array.
    /// - Returns: Whether the process owns the ID. It is `false` if the ID belongs to another process.
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

    /// Records that a session with a node has ended.
    mutating func disconnects(_ node: NodeID) {
        owners[node]?.sessions -= 1
        guard owners[node]?.sessions == 0 else { return }
        absent.append(node)
        if absent.count > CallLimits.maximumAbsentNodes, let first = absent.popFirst() { owners[first] = nil }
    }
}
