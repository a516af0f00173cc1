import LatticeSession
import LatticeTestSupport
import LatticeWire
import Testing

@testable import LatticeCalls

@Suite(.timeLimit(.minutes(10))) struct NodeOwnersTests {
    private let node = NodeID(5)
    private let identity = [UInt8](repeating: 1, count: 16)
    private let other = [UInt8](repeating: 2, count: 16)

    private func connects(_ node: NodeID, _ identity: [UInt8], _ owners: inout NodeOwners) -> Bool {
        owners.connects(node, identity: identity)
    }

    @Test("A node belongs to the identity that it connected with, also while it has no session")
    func sameIdentity() {
        var owners = NodeOwners()
        #expect(connects(node, identity, &owners))
        #expect(connects(node, identity, &owners))
        #expect(!connects(node, other, &owners))
        #expect(!connects(node, [], &owners))
        owners.disconnects(node)
        owners.disconnects(node)
        #expect(!connects(node, other, &owners))
        #expect(connects(node, identity, &owners))
    }

    @Test("A node without an identity can connect only once")
    func noIdentity() {
        var owners = NodeOwners()
        #expect(connects(node, [], &owners))
        #expect(!connects(node, [], &owners))
        owners.disconnects(node)
        #expect(!connects(node, identity, &owners))
    }

    @Test("The node that has been without a session for the longest is forgotten")
    func forgotten() {
        var owners = NodeOwners()
        func leave(_ number: Int) {
            let node = NodeID(UInt128(number))
            _ = owners.connects(node, identity: identity)
            owners.disconnects(node)
        }
        for number in 0..<CallLimits.maximumAbsentNodes { leave(number) }
        // It has been away for the shortest time now, and does not count twice.
        leave(0)
        leave(CallLimits.maximumAbsentNodes)
        #expect(connects(NodeID(1), other, &owners))
        #expect(!connects(NodeID(0), other, &owners))
        #expect(!connects(NodeID(2), other, &owners))
    }

    @Test("A client with another identity cannot take over a client's node, and calls still reach the owner")
    func takeover() async throws {
        try await NodeNet.with([.client]) { net in
            let leaf = net.leaves[0]
            for identity in [other, []] {
                let stranger = ActorNode(isHub: false, title: "stranger", id: leaf.node.id)
                let end = try await net.connect(stranger, identity: identity)
                let error = try await end.until { $0 != nil } ?? nil
                #expect(error?.code == .goodbye)
                #expect(error?.detail.contains("its node ID belongs to another process") == true)
            }
            #expect(net.hub.peer(of: leaf.hubSession) == leaf.node.id)
            #expect(leaf.ended.value == nil)
        }
    }
}
