import LatticeCalls
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport
import LatticeWire
import LatticeWorker

/// A worker's host that runs in this process, and the coordinator's end of its session.
struct MemoryWorker: Sendable {
    /// Creates the channels to the worker.
    let channels: ClientChannels
    /// The sender of the events on these channels.
    let sender: EventSender
    /// The nodes that send and receive calls at both ends.
    let nodes: MemoryNodes

    /// Runs a closure with a worker, whose threads have ended when the function returns.
    @MainActor
    static func with<Result: Sendable>(
        hosting feature: any HostedFeature.Type,
        in context: HostContext,
        _ body: @MainActor (MemoryWorker) async throws -> Result
    ) async throws -> Result {
        try await withTestReactor("lattice-test") { near in
            try await withTestReactor("lattice-test-worker") { far in
                let (one, other) = MemoryConnection.pair(eventLoop: near, other: far)
                let channels = ClientChannels(eventLoop: near, as: .acceptor)
                let sender = EventSender.random()
                let nodes = MemoryNodes(incarnation: context.incarnation)
                channels.connect(nodes)
                defer { nodes.end() }
                let processID = UInt32(ProcessIdentity.own)
                let storeID = sender.bytes
                let welcome = Welcome(
                    role: .coordinator,
                    coordinatorID: 0,
                    processID: processID,
                    features: [],
                    storeID: storeID,
                    node: nodes.coordinator.id.bytes
                )
                let acceptance = Handshake.Acceptance(welcome, of: [.worker])
                let hello = Hello(
                    role: .worker,
                    incarnation: context.incarnation,
                    processID: processID,
                    features: [],
                    node: nodes.worker.id.bytes
                )
                // Both ends are in this process, so neither can leave the other waiting. The handshake needs no
                // timeout.
                let coordinator = Session(
                    over: one,
                    as: .acceptor(acceptance),
                    handshakeTimeout: nil,
                    handler: channels
                )
                let host = WorkerHost(
                    features: [feature],
                    incarnation: context.incarnation,
                    group: context.group,
                    dependencies: context.dependencies,
                    node: nodes.worker,
                    eventLoop: far
                )
                let worker = Session(over: other, as: .initiator(hello), handshakeTimeout: nil, handler: host)
                coordinator.start()
                worker.start()
                defer { coordinator.end() }
                return try await body(MemoryWorker(channels: channels, sender: sender, nodes: nodes))
            }
        }
    }
}

/// The nodes that send and receive calls at both ends of the session.
final class MemoryNodes: SessionOwner {
    let coordinator = ActorNode(isHub: true, title: "coordinator")
    let worker: ActorNode

    init(incarnation: UInt64) {
        worker = ActorNode(isHub: false, title: "worker", incarnation: incarnation)
    }

    /// Sends an encoded question to the worker.
    func ask(_ question: [UInt8], on channel: UInt32, _ context: CallContext) async -> CallOutcome {
        await coordinator.ask(question, on: channel, context) { () throws(CallFailure) in worker.id }
    }

    func opened(_ session: Session, to peer: Handshake.Peer) {
        coordinator.connect(session, to: peer, title: worker.title)
    }

    func drained() {}
    func closed(_ session: Session, error: SessionError?) {}

    func end() {
        for node in [coordinator, worker] { node.end() }
    }
}
