import LatticeCore
import LatticeHosting
import LatticeSession

/// The engine of a test view model whose feature runs in a worker's host.
@MainActor
final class WorkerTestEngine<Base: HostedFeature>: TestEngine, ViewModelPresenter {
    private typealias Watched = WatchedFeature<Base>

    var onHandled: (([HandledAction<Base.Action, Base.DomainState>]) -> Void)?
    private nonisolated let engine: RemoteEngine<Watched.Action, Watched.DomainState>
    private let actions: ActionSender<Watched.Action>
    private let clients: ClientStandIn<Watched.Action, Watched.DomainState>
    private var state: Watched.DomainState
    /// The state of the feature after the last action.
    private var newest: Base.DomainState
    private var problem: String?

    /// - Throws: An error if the context cannot be sent to the worker.
    init(_ worker: MemoryWorker, _ context: HostContext) throws {
        state = Watched.initialDomainState(in: context)
        newest = state.base
        let channels = worker.channels
        let engine = RemoteEngine<Watched.Action, Watched.DomainState>()
        // A test that has to wait for its turn on a busy machine ends its events as on a quiet one.
        var limits = ChannelLimits()
        limits.deadlineGrace = .seconds(60)
        let channel = FeatureClient<Watched.Action, Watched.DomainState>(
            try ChannelClient.Subject(Watched.self, in: context),
            in: channels,
            sender: worker.sender,
            limits: limits,
            deliver: { engine.receive($0) }
        )
        let number = channel.channel.number
        engine.connect(
            channel.actions,
            asking: { [nodes = worker.nodes] in await nodes.ask($0, on: number, $1) },
            onClose: { channels.remove(channel.channel) }
        )
        self.engine = engine
        actions = channel.actions
        clients = ClientStandIn(on: channel)
    }

    /// Waits until the worker has opened the feature.
    /// - Throws: The `EventRejection` with which the worker refuses to open it.
    func open() async throws {
        engine.start(presenter: self)
        try await engine.whenOpened()
    }

    func send(_ action: Base.Action, as event: Int, from sender: EventSource) -> EventTask {
        let action = Watched.Action(base: action, event: event, isSent: event > 0, seen: state.count)
        return switch sender {
        case .client(let client): clients.send(action, from: client)
        case .program: engine.send(action)
        case .feature: actions.send(action, recoveringFrom: Interruption(cause: .disconnected, incarnation: 0))
        }
    }

    func ask<Feature: AnsweringFeature>(
        _ question: Feature.Question,
        of feature: Feature.Type,
        until deadline: ContinuousClock.Instant
    ) async throws -> Feature.Answer {
        try await engine.ask(question, of: WatchedFeature<Feature>.self, until: deadline)
    }

    /// Returns immediately, because this process does not know which effects have begun in the worker.
    func untilEffectsWork(timeout: Duration) async {}

    nonisolated func close() {
        engine.close()
    }

    // MARK: - From the worker

    func update(keepsIdentity: Bool, _ change: (inout WatchedFeature<Base>.DomainState) -> Void) {
        let seen = state.count
        change(&state)
        let handled = state.entries.suffix(state.count - seen)
        guard let last = handled.last else { return }
        // Each action arrives with the whole state after it. A coordinator builds the newest state from patches, or
        // receives it as a whole if that is smaller. This checks that patches lead to the same state.
        problem = problem ?? patchProblem(from: newest, to: last.domainState, after: last.action)
        newest = last.domainState
        onHandled?(Array(handled))
    }

    func takeProblem() -> String? { problem.take() }
    var hasClients: Bool { true }

    func update(host: HostStatus) {}
}
