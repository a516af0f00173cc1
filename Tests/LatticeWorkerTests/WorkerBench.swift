import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import LatticeWorker

/// A worker's host and the coordinator's end of its channels, in one process.
///
/// The host lives as long as its connection; `restart` plays the supervisor.
final class WorkerBench: Sendable {
    typealias Channel = FeatureClient<JournalFeature.Action, JournalFeature.DomainState>
    typealias Recorder = ChannelRecorder<JournalFeature.DomainState>

    struct Incarnation: Sendable {
        let host: WorkerHost
        let worker: Session
        let coordinator: Session
    }

    let channels: ClientChannels
    /// The coordinator's identity as a sender.
    let sender = EventSender.random()
    private let owner = OwnerRecorder()
    var drained: Watched<Int> { owner.drains }
    var closed: Watched<[SessionError?]> { owner.closed }
    var opened: Watched<Int> { owner.opened }
    private let link: SessionLink
    private let coordinatorReactor: Reactor
    private let workerReactor: Reactor
    private let incarnations = Watched<[Incarnation]>([])

    private init(_ link: SessionLink, _ coordinatorReactor: Reactor, _ workerReactor: Reactor) {
        self.link = link
        self.coordinatorReactor = coordinatorReactor
        self.workerReactor = workerReactor
        channels = ClientChannels(eventLoop: coordinatorReactor, as: .acceptor)
        channels.connect(owner)
    }

    static func with(_ link: SessionLink = .memory, _ body: (WorkerBench) async throws -> Void) async throws {
        try await withReactor { coordinator in
            try await withReactor { worker in
                try await body(WorkerBench(link, coordinator, worker))
            }
        }
    }

    /// Opens a channel on whatever worker there is or will be.
    func open(
        _ recorder: Recorder,
        feature: String = JournalFeature.identifier,
        schema: Int = 1,
        instance: String = "",
        limits: ChannelLimits = .patient
    ) -> Channel {
        Channel(
            .init(feature: feature, schema: schema, instance: instance, restoresState: true),
            in: channels,
            sender: sender,
            limits: limits,
            deliver: { recorder.receive($0) }
        )
    }

    /// The present incarnation, or the last one if it has ended.
    var current: Incarnation? { incarnations.value.last }

    /// Starts the first or the next incarnation.
    @discardableResult
    func start(
        _ features: [any HostedFeature.Type] = [JournalFeature.self, WordsFeature.self],
        capacity: Int = 64 * 1024,
        limits: ChannelLimits = ChannelLimits()
    ) async throws -> Incarnation {
        let number = UInt64(incarnations.value.count + 1)
        let (near, far) = try ends(capacity)
        let host = WorkerHost(
            features: features,
            incarnation: number,
            eventLoop: workerReactor,
            limits: limits
        )
        let incarnation = Incarnation(
            host: host,
            worker: Session(
                over: far,
                as: .initiator(Handshakes.hello(incarnation: number)),
                handshakeTimeout: nil,
                handler: host
            ),
            coordinator: Session(
                over: near,
                as: .acceptor(Handshakes.acceptance(storeID: sender)),
                handshakeTimeout: nil,
                handler: channels
            )
        )
        incarnations.change { $0.append(incarnation) }
        incarnation.coordinator.start()
        incarnation.worker.start()
        try await opened.until { $0 == Int(number) }
        return incarnation
    }

    private func ends(_ capacity: Int) throws -> (any Connection, any Connection) {
        switch link {
        case .memory:
            return MemoryConnection.pair(eventLoop: coordinatorReactor, other: workerReactor, capacity: capacity)
        case .socketPair:
            let (near, remote) = try SocketConnection.pair(reactor: coordinatorReactor)
            let far = try SocketConnection(adopting: remote, reactor: workerReactor)
            return (near, far)
        case .messages:
            return MessageConnection.pair(eventLoop: coordinatorReactor, other: workerReactor, capacity: capacity)
        }
    }

    /// Cuts the connection wherever it is just now, and waits until the coordinator's end has noticed.
    ///
    /// - Parameter unread: Whether what the worker has written last is not read any more.
    func kill(unread: Bool = false) async throws {
        let before = closed.value.count
        if unread { current?.coordinator.connection.close() } else { current?.worker.connection.close() }
        try await closed.until { $0.count > before }
        let incarnation = UInt64(incarnations.value.count)
        channels.detach(interruption: Interruption(cause: .signal(9), incarnation: incarnation))
    }
}

extension WorkerBench {
    /// Runs a test with a worker's host and a recorder at the coordinator's end.
    static func withHost(_ body: (SessionRecorder, Session, WorkerHost) async throws -> Void) async throws {
        try await withReactor { reactor in
            let (near, far) = MessageConnection.pair(eventLoop: reactor)
            let host = WorkerHost(features: [JournalFeature.self], eventLoop: reactor)
            let recorder = SessionRecorder()
            let worker = Session(over: far, as: .initiator(Handshakes.hello()), handshakeTimeout: nil, handler: host)
            let coordinator = Session(
                over: near,
                as: .acceptor(Handshakes.acceptance()),
                handshakeTimeout: nil,
                handler: recorder
            )
            coordinator.start()
            worker.start()
            try await recorder.record.until { $0.peer != nil }
            try await body(recorder, coordinator, host)
        }
    }
}
