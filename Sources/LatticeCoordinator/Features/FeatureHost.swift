import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport
import LatticeWire

/// The host of one instance of a hosted feature, independent of the feature's types.
@MainActor protocol FeatureHosting: AnyObject, Sendable {
    /// Adds a user, which is a caller that waits for the instance or a client that has it open. `endUse` removes it.
    func beginUse()
    /// Removes a user.
    func endUse()

    /// A closure that is called when the instance has had no users for as long as its feature may be idle.
    var onIdle: (() -> Void)? { get set }

    /// The status of the process that runs the instance.
    var hostStatus: HostStatus { get }

    /// Prepares a view state that can be published to a client. Call this before each `attach`.
    ///
    /// - Returns: The reason why there is no view state, or nil if there is one.
    func prepareSharing() async -> String?

    /// Waits until the channels of clients have received the view states that were published so far.
    func settleSharing() async

    /// Publishes the view state from now on to a client that opened the channel on this session.
    func attach(_ channel: ChannelServer, of client: EventSender, on session: Session)
    /// Stops publishing the view state on a channel.
    func detach(_ channel: ChannelServer)

    /// Stops publishing the view state on a channel that its client has closed. Events of the channel may still run.
    func abandon(_ channel: ChannelServer, of client: EventSender)

    /// Notes that a client will not come back, and handles the events of its closed channels.
    func lose(_ client: EventSender)

    /// Sends an encoded question to the feature in its worker, and returns the reply.
    nonisolated func ask(_ question: [UInt8], _ callContext: CallContext) async -> ActorReply

    /// Closes the channel to the worker and the channels of all clients. This is the last call.
    func release()

    /// Waits until a worker serves the feature.
    ///
    /// - Parameter timeout: The maximum time to wait, or nil to wait without a limit.
    /// - Returns: True if a worker serves the feature, or false if the timeout has passed.
    /// - Throws: The reason, if no worker will ever serve the feature.
    nonisolated func whenOpened(within timeout: Duration?) async throws -> Bool
}

/// One instance of a hosted feature in the coordinator: the channel to its worker, its view model, and the clients that
/// share it.
@MainActor final class FeatureHost<Feature: HostedFeature>: FeatureHosting {
    let viewModel: ViewModel<Feature>

    private let engine: RemoteEngine<Feature.Action, Feature.DomainState, Feature.ViewState>
    /// The channels to the worker.
    private let workerChannels: ClientChannels
    private nonisolated let channel: FeatureClient<Feature.Action, Feature.DomainState>
    private nonisolated let ask: @Sendable ([UInt8], CallContext) async -> ActorReply
    private let runtimeEvents: RuntimeEvents
    private let instance: RuntimeEvent.Instance
    private let events: ClientEvents
    /// A Boolean value that indicates whether the running effects of a client are cancelled when the client is lost.
    private let cancelsLostEffects: Bool
    /// The channels of clients to which the view state is published.
    private var channels: [ChannelServer] = []
    /// The view state that the clients share.
    private let shared: SharedViewState<Feature.ViewState>
    /// A Boolean value that indicates whether the view state has changed since the last publication.
    private var isAhead = true
    /// The highest number of a forwarded event that is contained in the view state.
    private var acknowledged: UInt64 = 0
    /// The interruption that the feature could not handle, because the supervisor gave up on the worker after it.
    private var unanswered: Interruption?
    private var use = IdleTracker()
    /// The time for which the instance may be idle, or nil if it is only closed explicitly.
    private let idleTimeout: Duration?
    var onIdle: (() -> Void)?

    /// - Parameters:
    ///   - instance: The key of the instance.
    ///   - supervisor: The supervisor of the worker.
    ///   - initialState: The state that the instance starts from, or nil for the initial state of the feature.
    ///   - observer: The observer of acknowledged states, if the program observes them.
    /// - Throws: `ConfigurationError` if the configuration cannot be sent to the worker.
    init(
        instance: String,
        supervisor: WorkerSupervisor,
        startingFrom initialState: InitialState<Feature.DomainState>? = nil,
        observer: StateObserver<Feature.DomainState>? = nil
    ) throws(ConfigurationError) {
        let context = supervisor.configuration.context(of: Feature.self, instance: instance)
        let first = initialState?.state ?? Feature.initialDomainState(in: context)
        let presentation = Presentation(of: Feature.self, at: first)
        idleTimeout = supervisor.configuration.idleTimeout(of: Feature.self)
        let engine = RemoteEngine<Feature.Action, Feature.DomainState, Feature.ViewState>(
            state: initialState?.state
        ) { state, viewState in
            presentation.reducer.show(state, in: &viewState)
        }
        let receive = engine.receiver
        let events = ClientEvents(
            limits: supervisor.configuration.shareLimits,
            sharesReports: supervisor.configuration.sharesCrashReports,
            runtimeEvents: supervisor.events
        )
        let described = RuntimeEvent.Instance(
            feature: Feature.identifier,
            key: instance,
            member: supervisor.member
        )
        self.instance = described
        let runtimeEvents = supervisor.events
        self.runtimeEvents = runtimeEvents
        let observesStates = runtimeEvents.wants(.stateAccepted)
        workerChannels = supervisor.channels
        let subject = try ChannelClient.Subject(Feature.self, in: context)
        // Before the worker can answer, so that it is the first event of the instance.
        runtimeEvents.emit(.instanceOpened, .instanceOpened(described))
        channel = FeatureClient(
            subject,
            in: supervisor.channels,
            sender: supervisor.sender,
            limits: supervisor.configuration.channelLimits,
            initialState: initialState,
            events: supervisor.events
        ) { [weak supervisor, weak events] delivery in
            // `opened` only repeats what the coordinator already has. A later state shows progress.
            if delivery.hasState, !delivery.channelUpdate.isOpened { supervisor?.progressed() }
            if observesStates, delivery.hasState {
                runtimeEvents.emit(.stateAccepted, .stateAccepted(described, delivery.stateUpdate))
            }
            receive(delivery)
            // The reference is weak because `events` keeps the channel.
            events?.proceed()
        }
        ask = { [weak supervisor, channel] in
            await supervisor?.ask($0, on: channel.channel.number, $1)
                ?? ActorReply(call: 0, code: .refused, reason: "The coordinator has stopped.")
        }
        engine.connect(channel, asking: ask)
        viewModel = ViewModel(
            viewState: presentation.viewState,
            engine: engine,
            areViewStatesEqual: { isUnchanged($0, $1) }
        )
        self.engine = engine
        self.events = events
        cancelsLostEffects = supervisor.configuration.cancelsEffectsOfLostClients(of: Feature.self)
        shared = SharedViewState(
            described,
            channel: channel.channel,
            events: events,
            maximumBytes: min(supervisor.configuration.maximumStateBytes, FrameLimits.maximumState),
            limits: supervisor.configuration.channelLimits,
            runtimeEvents: supervisor.events
        )
        shared.onProblem { [weak self] in
            // The task is unstructured. It makes one hop to the actor that owns the status.
            Task { @MainActor in self?.noteProblem() }
        }
        // The reference is weak because a hop to the main actor may be pending while the coordinator is released.
        engine.onShown = { [weak self] acknowledged, interruption in
            self?.shown(acknowledged)
            if let interruption { self?.recover(from: interruption) }
        }
        if let observer {
            engine.onState = { [weak engine] in observer.changed { engine?.state } }
        }
        engine.onHost = { [weak self] host in
            self?.report(HostStatusMessage(host))
            // After a manual reset there is a worker again.
            if case .serving = host, let interruption = self?.unanswered.take() { self?.recover(from: interruption) }
        }
    }

    var hostStatus: HostStatus { engine.host }

    /// The state from which a new worker would continue.
    var acknowledgedState: Feature.DomainState? { engine.state }

    @discardableResult
    nonisolated func whenOpened(within timeout: Duration? = nil) async throws -> Bool {
        try await engine.whenOpened(within: timeout)
    }

    nonisolated func ask(_ question: [UInt8], _ callContext: CallContext) async -> ActorReply {
        await ask(question, callContext)
    }

    /// Lets the feature handle what the worker left unfinished.
    private func recover(from interruption: Interruption) {
        guard let state = engine.state, let action = Feature.recovery(from: interruption, in: state) else { return }
        runtimeEvents.emit(.instanceRecovered, .instanceRecovered(instance, interruption))
        channel.send(action).onCompletion { [weak self] outcome in
            // An action that was quarantined is not sent again, because it would end the next worker too.
            guard case .rejected(let rejection) = outcome, rejection.code != .quarantined else { return }
            // The task is unstructured. It makes one hop, and its result is not awaited.
            Task { @MainActor in self?.leaveUnanswered(interruption) }
        }
    }

    /// Keeps an interruption for the next worker. It is merged with an earlier one, since each may name other effects.
    private func leaveUnanswered(_ interruption: Interruption) {
        let names = Set(interruption.effects.map(\.name))
        let earlier = unanswered?.effects.filter { !names.contains($0.name) } ?? []
        unanswered = Interruption(
            cause: interruption.cause,
            incarnation: interruption.incarnation,
            effects: (interruption.effects + earlier).sorted { $0.name < $1.name },
            report: interruption.report
        )
        // The next worker may already be serving.
        if case .serving = engine.host, let interruption = unanswered.take() { recover(from: interruption) }
    }

    // MARK: Clients

    func prepareSharing() async -> String? {
        if isAhead || shared.isEmpty { show() }
        await settleSharing()
        noteProblem()
        return shared.isEmpty ? engine.sharingProblem : nil
    }

    func settleSharing() async {
        await withCheckedContinuation { waiter in shared.perform { waiter.resume() } }
    }

    func attach(_ channel: ChannelServer, of client: EventSender, on session: Session) {
        // The view state may have changed during the preparation.
        if isAhead { show() }
        channels.append(channel)
        beginUse()
        shared.attach(channel, of: client, on: session, status: HostStatusMessage(engine.host))
    }

    /// The number of channels of clients to which the view state is published.
    var channelCount: Int { channels.count }

    func detach(_ channel: ChannelServer) {
        shared.detach(channel)
        guard let index = channels.firstIndex(where: { $0 === channel }) else { return }
        channels.remove(at: index)
        endUse()
    }

    func abandon(_ channel: ChannelServer, of client: EventSender) {
        detach(channel)
        events.leaveBehind(channel, of: client)
    }

    func lose(_ client: EventSender) {
        events.lose(client, cancelling: cancelsLostEffects)
    }

    // MARK: Idle time

    func beginUse() {
        use.begin()
    }

    func endUse() {
        if use.end(at: .now), let idleTimeout { scheduleCheck(after: idleTimeout) }
    }

    /// A Boolean value that indicates whether no worker has ever served the instance, and it has no users.
    var isDisposable: Bool { use.isUnused && !engine.hasOpened }

    /// Notes that the coordinator's own program has the view model, so that the instance is only closed explicitly.
    func keep() {
        use.keep()
    }

    private func scheduleCheck(after wait: Duration) {
        let eventLoop = workerChannels.eventLoop
        eventLoop.execute { [weak self] in
            eventLoop.after(milliseconds: max(1, wait.milliseconds)) {
                // The task is unstructured. It makes one hop, and its result is not awaited.
                Task { @MainActor in self?.checkIdle() }
            }
        }
    }

    private func checkIdle() {
        guard let idleTimeout, let onIdle else { return }
        switch use.check(at: .now, isBusy: channel.channel.hasEvents || events.hasEvents, timeout: idleTimeout) {
        case .inUse: break
        case .again(let wait): scheduleCheck(after: wait)
        case .idle: onIdle()
        }
    }

    func release() {
        runtimeEvents.emit(.instanceClosed, .instanceClosed(instance))
        let reason = "The coordinator has closed this instance of \"\(Feature.identifier)\"."
        let status = HostStatusMessage(.failed(HostFailure(reason: reason)))
        channel.channel.report(ChannelUpdate.HostReport(status: status, coordinator: nil))
        // This comes first, so that clients receive the outcomes of their running events.
        events.cancelWaiting()
        workerChannels.remove(channel.channel)
        shared.perform { [channels, eventLoop = workerChannels.eventLoop] in
            eventLoop.execute {
                for channel in channels {
                    channel.report(status)
                    channel.end(Closed(code: .draining, reason: reason))
                }
            }
        }
        channels = []
        onIdle = nil
        // A pending state would arrive after the end. The program must not receive it.
        engine.onState = nil
    }

    private func report(_ status: HostStatusMessage) {
        guard !channels.isEmpty else { return }
        // The status follows the answers to channels that are being attached.
        shared.perform { [channels] in for channel in channels { channel.report(status) } }
    }

    private func shown(_ acknowledged: UInt64) {
        self.acknowledged = max(self.acknowledged, acknowledged)
        isAhead = true
        if !channels.isEmpty { show() }
    }

    private func show() {
        isAhead = false
        shared.show(viewModel.viewState, throughForwarded: acknowledged)
        noteProblem()
    }

    /// Updates the host's status, which says why clients have an older view state.
    private func noteProblem() {
        let problem = shared.problem
        if let problem, problem != engine.sharingProblem {
            runtimeEvents.emit(.viewStateWithheld, .viewStateWithheld(instance, reason: problem))
        }
        engine.sharingProblem = problem
    }

    /// Publishes a view state that is not the view model's, for measurements.
    func publish(_ viewState: Feature.ViewState) throws {
        try shared.publish(viewState)
    }
}
