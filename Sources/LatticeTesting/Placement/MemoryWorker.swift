import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport
import LatticeWire
import LatticeWorker

/// A worker's host in this process, and the coordinator's end of its session.
struct MemoryWorker: Sendable {
    /// Makes the channels to it.
    let channels: ClientChannels
    /// Who sends the events of its channels.
    let sender: EventSender
    /// What takes and makes calls at both ends.
    let nodes: MemoryNodes

    /// Lends a worker, whose threads have ended when this returns.
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
                let memory = sender.bytes
                let welcome = Welcome(
                    role: .coordinator,
                    life: 0,
                    processID: processID,
                    features: [],
                    memory: memory,
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
                // Both are here: that neither leaves the other waiting needs no clock.
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

/// What takes and makes calls at both ends.
final class MemoryNodes: SessionOwner {
    let coordinator = ActorNode(isHub: true, title: "coordinator")
    let worker: ActorNode

    init(incarnation: UInt64) {
        worker = ActorNode(isHub: false, title: "worker", incarnation: incarnation)
    }

    /// Sends an encoded question to what the worker hosts.
    func ask(_ question: [UInt8], on channel: UInt32, _ terms: CallContext) async -> ActorReply {
        await coordinator.ask(question, on: channel, terms) { () throws(CallFailure) in worker.id }
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
