import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire

@testable import LatticeControl
@testable import LatticeCoordinator
@testable import LatticeWorker

/// A coordinator without processes: its worker is a host in this process, its clients come over memory.
final class CoordinatorBench: Sendable {
    private static let features: [any HostedFeature.Type] = [
        ArchiveFeature.self, JournalFeature.self, ProfileFeature.self, RecoveringFeature.self, WordsFeature.self,
    ]

    private let features: [any HostedFeature.Type]
    let supervisor: WorkerSupervisor
    let registry: FeatureRegistry
    let clients: ClientRegistry
    let reactor: Reactor
    private let workers = Watched<[(host: WorkerHost, session: Session, coordinator: Session)]>([])

    private init(
        _ reactor: Reactor,
        _ configuration: CoordinatorConfiguration,
        _ maximumClients: Int,
        _ features: [any HostedFeature.Type]
    ) throws {
        self.features = features
        self.reactor = reactor
        let memory = EventSender.random()
        // Tests end workers one after the other.
        var configuration = configuration
        configuration.restart.intensity.restarts = .max
        supervisor = WorkerSupervisor(
            launcher: ScriptedLauncher([], eventLoop: reactor),
            configuration: configuration,
            eventLoop: reactor,
            sender: memory,
            seed: 1
        )
        registry = try FeatureRegistry(
            features: features,
            placement: Placement([.init(features: features.map { $0.identifier }, workers: .one(supervisor))]),
            quota: configuration.quota
        )
        var budget = DescriptorBudget(limit: DescriptorBudget.wantedLimit(workers: 1), open: 0)
        budget.clients = maximumClients
        clients = ClientRegistry(
            registry: registry,
            features: features,
            storeID: memory,
            coordinatorID: 77,
            configuration: configuration,
            budget: budget
        )
    }

    static func with(
        hosting features: [any HostedFeature.Type] = CoordinatorBench.features,
        configuration: CoordinatorConfiguration = .patient,
        maximumClients: Int = DescriptorBudget.maximumClients,
        _ body: (CoordinatorBench) async throws -> Void
    ) async throws {
        try await withReactor { reactor in
            try await body(CoordinatorBench(reactor, configuration, maximumClients, features))
        }
    }

    /// Runs a test with a tool that is connected to the coordinator.
    func withTool(_ body: (ControlClient) async throws -> Void) async throws {
        let tool = try ControlClient(path: "memory", timeout: .seconds(60))
        defer { tool.close() }
        let (near, far) = MemoryConnection.pair(eventLoop: reactor)
        clients.accept(far)
        try await tool.connect(over: near)
        try await body(tool)
    }

    func startWorker() {
        _ = supervisor.start()
        let (near, far) = MemoryConnection.pair(eventLoop: reactor)
        var dependencies = HostDependencies()
        dependencies[WordsFeature.PrefixKey.self] = "found "
        let host = WorkerHost(
            features: features,
            incarnation: UInt64(workers.value.count + 1),
            dependencies: dependencies,
            eventLoop: reactor
        )
        let session = Session(over: far, as: .initiator(Handshakes.hello()), handshakeTimeout: nil, handler: host)
        let coordinator = Session(
            over: near,
            as: .acceptor(Handshakes.acceptance(storeID: supervisor.sender)),
            handshakeTimeout: nil,
            handler: supervisor.channels
        )
        workers.change { $0.append((host, session, coordinator)) }
        coordinator.start()
        session.start()
    }

    func killWorker() async throws {
        guard let worker = workers.value.last else { return }
        worker.session.connection.close()
        await worker.host.ended.wait()
        // As a supervisor does: what it wrote last is read, then this end is closed. A handshake that came late would
        // be taken for that of the next worker.
        try await poll { supervisor.channels.session !== worker.coordinator }
        worker.coordinator.connection.close()
        await withCheckedContinuation { seen in reactor.execute { seen.resume() } }
        _ = supervisor.ended(.signal(9))
    }

    /// The host of an instance. The caller is no user of it.
    func host(_ instance: String = "") async throws -> FeatureHost<JournalFeature> {
        try await host(JournalFeature.self, instance)
    }

    /// The host of an instance of a feature. The caller is no user of it.
    func host<Feature: HostedFeature>(
        _ feature: Feature.Type,
        _ instance: String = "",
        startingFrom state: InitialState<Feature.DomainState>? = nil
    ) async throws -> FeatureHost<Feature> {
        let host = try await registry.host(feature, instance, startingFrom: state)
        host.endUse()
        return host
    }

    /// A client that is not connected.
    func makeClient(identity: UInt8) -> TestClient {
        TestClient(identity: [UInt8](repeating: identity, count: 16), clients: clients, reactor: reactor)
    }
}

extension CoordinatorConfiguration {
    /// Settings under which nothing is given up for its silence. Many tests speak with ends that answer no ping, and a
    /// busy machine can hold a test for longer than a heartbeat.
    static var patient: CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.heartbeatTimeout = .seconds(3600)
        configuration.deadlineGrace = .seconds(3600)
        return configuration
    }
}

extension CoordinatorBench {
    /// Lets the coordinator forget the clients whose retention ends within this time.
    func tick(after time: Duration) async {
        await reactor.run { [clients] in clients.tick(now: .now + time) }
    }
}

extension FeatureHost {
    /// The number of channels of clients to which the view state is published.
    var channelCount: Int {
        get async { await eventLoop.run { [presenter] in presenter.viewFigures.subscribers } }
    }
}

extension ClientSession {
    /// Returns the current snapshot.
    func snapshot(on eventLoop: any EventLoop) async -> Snapshot {
        await eventLoop.run { [self] in snapshot }
    }
}
