package import LatticeCalls
package import LatticeSession
import LatticeTransport
package import LatticeWire

/// The actor nodes of a coordinator and of other processes, each of which has a session with the coordinator.
package struct NodeNet: Sendable {
    /// A process other than the coordinator.
    package struct Leaf: Sendable {
        package let node: ActorNode
        /// The leaf's end of the session.
        package let session: Session
        /// The coordinator's end of the session.
        package let hubSession: Session
        /// The result of the leaf's session: nil while it runs, and then its error, if any.
        package let ended: Watched<SessionError??>
    }

    /// The coordinator's node.
    package let hub: ActorNode
    /// The other processes.
    package let leaves: [Leaf]
    /// The threads of the coordinator and of the others.
    private let loops: (near: Reactor, far: Reactor)

    /// Runs a test with the sessions open.
    ///
    /// - Parameters:
    ///   - roles: The role of each leaf.
    ///   - link: The kind of connection under the sessions.
    ///   - isSupervised: Whether the coordinator's node treats the leaves as supervised workers.
    ///   - cancelTimeout: The time that a cancelled call may take. The default is long enough for a busy machine.
    ///   - isFirstApart: Whether the first leaf has a thread of its own.
    ///   - prepare: A closure that gets the nodes, the hub's first, before the sessions are created.
    ///   - body: The test.
    package static func with(
        _ roles: [Role] = [.worker],
        over link: SessionLink = .memory,
        isSupervised: Bool = false,
        cancelTimeout: Duration = .seconds(120),
        isFirstApart: Bool = false,
        prepare: ([ActorNode]) throws -> Void = { _ in },
        _ body: (NodeNet) async throws -> Void
    ) async throws {
        let hub = ActorNode(isHub: true, title: "coordinator", cancelTimeout: cancelTimeout)
        let nodes = roles.enumerated().map { index, role in
            ActorNode(
                isHub: false,
                title: "\(role) \(index)",
                incarnation: role == .worker ? 3 : 0,
                cancelTimeout: cancelTimeout
            )
        }
        try prepare([hub] + nodes)
        // All sessions share two threads, because the number of descriptors in a test process is limited.
        try await withReactor { near in
            try await withReactor { far in
                try await withAnother(isFirstApart) { apart in
                    var leaves: [Leaf] = []
                    for (node, role) in zip(nodes, roles) {
                        let loop = leaves.isEmpty ? apart ?? far : far
                        let (one, other) = try link.ends(loop, near)
                        leaves.append(try await connect(node, role, to: hub, over: one, other, isSupervised))
                    }
                    try await body(NodeNet(hub: hub, leaves: leaves, loops: (near, far)))
                }
            }
        }
    }

    private static func withAnother(_ isNeeded: Bool, _ body: (Reactor?) async throws -> Void) async throws {
        guard isNeeded else { return try await body(nil) }
        try await withReactor { try await body($0) }
    }

    /// Returns the identity that a client leaf sends.
    private static func identity(of node: ActorNode) -> [UInt8] { node.id.bytes.reversed() }

    private static func connect(
        _ node: ActorNode,
        _ role: Role,
        to hub: ActorNode,
        over one: any Connection,
        _ other: any Connection,
        _ isSupervised: Bool
    ) async throws -> Leaf {
        let near = NodeRecorder(hub, peerTitle: node.title, isSupervised: isSupervised)
        let far = NodeRecorder(node, peerTitle: "coordinator")
        let hello = Hello(
            role: role,
            incarnation: node.incarnation,
            identity: role == .client ? identity(of: node) : [],
            processID: 7,
            features: [],
            node: node.id.bytes
        )
        let acceptance = Handshake.Acceptance(welcome(of: hub), of: [.worker, .client])
        let session = Session(over: one, as: .initiator(hello), handshakeTimeout: nil, handler: far)
        let hubSession = Session(over: other, as: .acceptor(acceptance), handshakeTimeout: nil, handler: near)
        hubSession.start()
        session.start()
        try await near.isOpen.until { $0 }
        try await far.isOpen.until { $0 }
        return Leaf(node: node, session: session, hubSession: hubSession, ended: far.ended)
    }

    private static func welcome(of hub: ActorNode) -> Welcome {
        Welcome(
            role: .coordinator,
            coordinatorID: 1,
            processID: 8,
            features: [],
            storeID: [UInt8](repeating: 7, count: 16),
            node: hub.id.bytes
        )
    }

    /// Connects another client.
    ///
    /// - Returns: The result of its session: nil while it runs, and then its error, if any.
    package func connect(_ node: ActorNode, identity: [UInt8]) async throws -> Watched<SessionError??> {
        let (one, other) = try SessionLink.memory.ends(loops.far, loops.near)
        let far = NodeRecorder(node, peerTitle: "coordinator")
        let hello = Hello(
            role: .client,
            incarnation: 0,
            identity: identity,
            processID: 9,
            features: [],
            node: node.id.bytes
        )
        let near = NodeRecorder(hub, peerTitle: node.title)
        let acceptance = Handshake.Acceptance(Self.welcome(of: hub), of: [.client])
        Session(over: other, as: .acceptor(acceptance), handshakeTimeout: nil, handler: near).start()
        Session(over: one, as: .initiator(hello), handshakeTimeout: nil, handler: far).start()
        return far.ended
    }
}

/// A session handler that only connects a node to its session.
package final class NodeRecorder: SessionHandler {
    let isOpen = Watched(false)
    package let ended = Watched<SessionError??>(nil)
    private let node: ActorNode
    private let peerTitle: String
    private let isSupervised: Bool

    package init(_ node: ActorNode, peerTitle: String, isSupervised: Bool = false) {
        self.node = node
        self.peerTitle = peerTitle
        self.isSupervised = isSupervised
    }

    package func sessionOpened(_ session: Session, peer: Handshake.Peer) {
        node.connect(session, to: peer, title: peerTitle, isSupervised: isSupervised)
        isOpen.change { $0 = true }
    }

    package func session(_ session: Session, opens channel: UInt32, _ open: Open) throws(WireError) {
        throw .unexpected(.open, at: "a test")
    }

    package func session(
        _ session: Session,
        received kind: MessageKind,
        body: UnsafeRawBufferPointer
    ) throws(WireError) {
        throw .unexpected(kind, at: "a test")
    }

    package func sessionClosed(_ session: Session, error: SessionError?) {
        ended.change { $0 = .some(error) }
    }
}
