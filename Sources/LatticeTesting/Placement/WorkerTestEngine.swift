import LatticeCore
import LatticeHosting
import LatticeSession

/// Runs the feature of a test view model in a worker's host.
@MainActor
final class WorkerTestEngine<Base: HostedFeature>: TestEngine, ViewModelPresenter {
    private typealias Watched = WatchedFeature<Base>

    var onHandled: (([HandledAction<Base.Action, Base.DomainState>]) -> Void)?
    private nonisolated let engine: RemoteEngine<Watched.Action, Watched.DomainState, Watched.DomainState>
    private var state: Watched.DomainState

    /// - Throws: what keeps the context from travelling to the worker.
    init(_ worker: MemoryWorker, _ context: HostContext) throws {
        state = Watched.initialDomainState(in: context)
        let channels = worker.channels
        let engine = RemoteEngine<Watched.Action, Watched.DomainState, Watched.DomainState>()
        let channel = FeatureClient<Watched.Action, Watched.DomainState>(
            try ChannelClient.Subject(Watched.self, in: context),
            in: channels,
            sender: worker.sender,
            deliver: { engine.receive($0) }
        )
        let number = channel.channel.number
        engine.connect(
            channel,
            asking: { [nodes = worker.nodes] in await nodes.ask($0, on: number, $1) },
            onClose: { channels.remove(channel.channel) }
        )
        self.engine = engine
    }

    /// Returns when the worker has opened the feature.
    /// - Throws: the `EventRejection` that says why it does not.
    func open() async throws {
        engine.start(presenter: self)
        try await engine.whenOpened()
    }

    func send(_ action: Base.Action, as event: Int) -> EventTask {
        engine.send(Watched.Action(base: action, event: event, isSent: event > 0, seen: state.count))
    }

    func ask<Feature: AnsweringFeature>(
        _ question: Feature.Question,
        of feature: Feature.Type,
        until deadline: ContinuousClock.Instant
    ) async throws -> Feature.Answer {
        try await engine.ask(question, of: WatchedFeature<Feature>.self, until: deadline)
    }

    /// What has begun in a worker is not known here.
    func untilEffectsWork(timeout: Duration) async {}

    nonisolated func close() {
        engine.close()
    }

    // MARK: - From the worker

    func update(keepsIdentity: Bool, _ change: (inout WatchedFeature<Base>.DomainState) -> Void) {
        let seen = state.count
        change(&state)
        if state.count > seen { onHandled?(state.entries.suffix(state.count - seen)) }
    }

    func update(host: HostStatus) {}
}
