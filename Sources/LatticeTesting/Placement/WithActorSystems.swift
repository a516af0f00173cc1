public import LatticeActors
import LatticeCalls
import LatticeConcurrency
public import LatticeFaults
import LatticeSession
import LatticeTransport
import LatticeWire

/// Runs a closure with two actor systems: one that calls, and one that hosts the actors. One test body can run in each
/// placement:
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
/// In ``TestPlacement/local`` both parameters are the same system, and calls are ordinary local calls. In
/// ``TestPlacement/memoryWorker`` they are the systems of a coordinator and a worker, which exchange the usual
/// messages. Only the process and the socket are missing.
///
/// - Parameters:
///   - placement: The place of the actors.
///   - plan: The faults of the connection between the two, as seen from the caller. It is ignored in
///     ``TestPlacement/local``, which has no connection. After a cut, calls end with `ActorCallError.Code.lost`.
///   - cancelTimeout: The time that a cancelled call may take to end. Choose a longer one for a test that runs beside
///     many others. It is ignored in ``TestPlacement/local``.
///   - isolation: The isolation of the caller. Do not pass it.
///   - body: The test. Do not use the systems after it has returned.
/// - Returns: The result of `body`.
/// - Throws: Any error that `body` throws, and errors of connecting the two systems.
public func withActorSystems<Result>(
    placement: TestPlacement = .local,
    faults plan: FaultPlan? = nil,
    cancelTimeout: Duration = .seconds(1),
    isolation: isolated (any Actor)? = #isolation,
    _ body: (_ caller: LatticeActorSystem, _ host: LatticeActorSystem) async throws -> Result
) async throws -> Result {
    guard !placement.isLocal else {
        let system = LatticeActorSystem()
        return try await body(system, system)
    }
    return try await withTestReactor("lattice-test") { near in
        try await withTestReactor("lattice-test-worker") { far in
            let caller = ActorNode(isHub: true, title: "coordinator", cancelTimeout: cancelTimeout)
            let host = ActorNode(isHub: false, title: "worker", incarnation: 1, cancelTimeout: cancelTimeout)
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

/// Connects the two nodes and returns the caller's session.
private func connect(
    _ caller: ActorNode,
    _ host: ActorNode,
    over connection: any Connection,
    _ other: any Connection
) -> Session {
    let processID = UInt32(ProcessIdentity.own)
    let welcome = Welcome(
        role: .coordinator,
        coordinatorID: 0,
        processID: processID,
        features: [],
        storeID: NodeID.random().bytes,
        node: caller.id.bytes
    )
    let hello = Hello(role: .worker, incarnation: 1, processID: processID, features: [], node: host.id.bytes)
    // Both ends are in this process, so neither can leave the other waiting. The handshake needs no timeout.
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

/// The handler of a session that only carries calls.
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
