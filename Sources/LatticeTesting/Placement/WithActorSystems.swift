public import LatticeActors
import LatticeConcurrency
public import LatticeFaults
import LatticeSession
import LatticeTransport
import LatticeWire

/// Lends two actor systems: one to call with, and one whose actors are called. One test body can run in each placement:
///
/// ```swift
/// @Test(arguments: TestPlacement.allCases)
/// func thumbnails(placement: TestPlacement) async throws {
///     try await withActorSystems(placement: placement) { caller, host in
///         try host.host("thumbnailer") { Thumbnailer(actorSystem: $0) }
///         let thumbnailer = try await caller.resolve(Thumbnailer.self, named: "thumbnailer", within: .seconds(5))
///         #expect(try await thumbnailer.thumbnail(of: picture).isEmpty == false)
///     }
/// }
/// ```
///
/// In ``TestPlacement/local`` both are the same one, and calls are plain. In ``TestPlacement/memoryWorker`` they are
/// those of a coordinator and of a worker, behind the messages that these exchange; only the process and the socket are
/// left out.
///
/// - Parameters:
///   - placement: Where the actors live.
///   - plan: What goes wrong on the connection between the two, seen from the caller; in ``TestPlacement/local`` there
///     is none. Behind a cut calls end with `ActorCallError.Code.lost`.
///   - isolation: The caller's; leave it out.
///   - body: The test. The systems are of no use after it.
/// - Throws: What `body` throws, and what keeps the two from being connected.
public func withActorSystems<Result>(
    placement: TestPlacement = .local,
    faults plan: FaultPlan? = nil,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (_ caller: LatticeActorSystem, _ host: LatticeActorSystem) async throws -> Result
) async throws -> Result {
    guard !placement.isLocal else {
        let system = LatticeActorSystem()
        return try await body(system, system)
    }
    return try await withTestReactor("lattice-test") { near in
        try await withTestReactor("lattice-test-worker") { far in
            let caller = ActorNode(isHub: true, title: "coordinator")
            let host = ActorNode(isHub: false, title: "worker", incarnation: 1)
            defer { for node in [caller, host] { node.end() } }
            let systems = (LatticeActorSystem(caller), LatticeActorSystem(host))
            let (one, other) = MemoryConnection.pair(eventLoop: near, other: far)
            let connection: any Connection = plan.map { FaultyConnection(one, $0) } ?? one
            let session = connect(caller, host, over: connection, other)
            defer { session.end() }
            return try await body(systems.0, systems.1)
        }
    }
}

/// - Returns: The caller's end of the session between the two.
private func connect(
    _ caller: ActorNode,
    _ host: ActorNode,
    over connection: any Connection,
    _ other: any Connection
) -> Session {
    let processID = UInt32(ProcessIdentity.own)
    let welcome = Welcome(
        role: .coordinator,
        life: 0,
        processID: processID,
        features: [],
        memory: NodeID.random().bytes,
        node: caller.id.bytes
    )
    let hello = Hello(role: .worker, incarnation: 1, processID: processID, features: [], node: host.id.bytes)
    // Both are here: that neither leaves the other waiting needs no clock.
    let session = Session(
        over: connection,
        as: .acceptor(Handshake.Acceptance(welcome, of: [.worker])),
        handshakeTimeout: nil,
        handler: NodeEnd(caller, peer: host.title)
    )
    let hosting = Session(
        over: other,
        as: .initiator(hello),
        handshakeTimeout: nil,
        handler: NodeEnd(host, peer: caller.title)
    )
    session.start()
    hosting.start()
    return session
}

/// What a session with nothing but calls tells.
private final class NodeEnd: SessionHandler {
    private let node: ActorNode
    private let peerTitle: String

    init(_ node: ActorNode, peer title: String) {
        self.node = node
        peerTitle = title
    }

    func sessionOpened(_ session: Session, peer: Handshake.Peer) {
        node.connect(session, to: peer, title: peerTitle)
    }

    func session(_ session: Session, opens channel: UInt32, _ open: Open) throws(WireError) {
        throw .unexpected(.open, at: "a test of actors")
    }

    func session(
        _ session: Session,
        received kind: MessageKind,
        body: UnsafeRawBufferPointer
    ) throws(WireError) {
        throw .unexpected(kind, at: "a test of actors")
    }

    func sessionClosed(_ session: Session, error: SessionError?) {}
}
