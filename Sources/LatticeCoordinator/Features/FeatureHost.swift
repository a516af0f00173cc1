import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport
import LatticeWire
import Logging

/// A hosted feature whatever its types, as clients reach it.
@MainActor protocol FeatureHosting: AnyObject, Sendable {
    /// Somebody waits for it to be opened, until `endUse`.
    func beginUse()
    func endUse()

    /// Called when nobody has used it for as long as its feature may be idle.
    var onIdle: (() -> Void)? { get set }

    /// Has a view state that a client can be shown; before each `attach`.
    ///
    /// - Returns: Why there is none.
    func prepareSharing() async -> String?

    /// Returns when the channels of clients have got the view states that were shown so far.
    func settleSharing() async

    /// Shows the view state to a client from now on, which has opened the channel on this session.
    func attach(_ channel: ChannelServer, of client: EventSender, on session: Session)
    func detach(_ channel: ChannelServer)

    /// The same for a channel that the client has no more, and whose events may run.
    func leaveBehind(_ channel: ChannelServer, of client: EventSender)

    /// A client is gone for good, with what it has left behind.
    func lose(_ client: EventSender)

    /// Asks the feature in its worker: an encoded question.
    nonisolated func ask(_ question: [UInt8], _ terms: CallContext) async -> ActorReply

    /// Closes the channel to the worker and the channels of all clients. The last call.
    func release()

    /// Returns when a worker serves the feature, or throws why none ever will.
    ///
    /// - Parameter limit: How long to wait; nil: for as long as it takes.
    /// - Returns: Whether a worker serves it; false after the limit.
    nonisolated func whenOpened(within limit: Duration?) async throws -> Bool
}

/// One hosted feature in the coordinator: the channel to the worker, the view model, and the clients that share it.
@MainActor final class FeatureHost<Feature: HostedFeature>: FeatureHosting {
    let viewModel: ViewModel<Feature>

    private let engine: RemoteEngine<Feature.Action, Feature.DomainState, Feature.ViewState>
    /// To the worker.
    private let workerChannels: ClientChannels
    private nonisolated let channel: FeatureClient<Feature.Action, Feature.DomainState>
    private nonisolated let ask: @Sendable ([UInt8], CallContext) async -> ActorReply
    private let logger: Logger
    private let events: ClientEvents
    /// Whether what a client has running is cancelled when it is gone for good.
    private let cancelsLostEffects: Bool
    /// Those of clients that are shown the view state.
    private var channels: [ChannelServer] = []
    /// The view state as clients have it.
    private let shared: SharedViewState<Feature.ViewState>
    /// Whether the view state has changed since clients were shown one.
    private var isAhead = true
    private var acknowledged: UInt64 = 0
    /// A death that the feature could not answer, because the supervisor gave up on the worker after it.
    private var unanswered: Interruption?
    private var use = IdleTracker()
    /// nil: it is let go of only by hand.
    private let idleTimeout: Duration?
    var onIdle: (() -> Void)?

    /// - Parameters:
    ///   - initialState: What it starts from; nil: what the feature says.
    ///   - observer: Gets the states that are acknowledged, if the program observes them.
    /// - Throws: `ConfigurationError` for a configuration that cannot be sent to the worker.
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
            sharesReports: supervisor.configuration.sharesCrashReports
        )
        workerChannels = supervisor.channels
        channel = FeatureClient(
            try ChannelClient.Subject(Feature.self, in: context),
            in: supervisor.channels,
            sender: supervisor.sender,
            limits: supervisor.configuration.channelLimits,
            initialState: initialState
        ) { [weak supervisor, weak events] delivery in
            // `opened` only repeats what was known; a state beyond it is progress.
            if delivery.hasState, !delivery.news.isOpened { supervisor?.progressed() }
            receive(delivery)
            // Weak: they have the channel.
            events?.proceed()
        }
        ask = { [weak supervisor, channel] in
            await supervisor?.ask($0, on: channel.channel.number, $1)
                ?? ActorReply(call: 0, code: .refused, reason: "the coordinator has stopped")
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
        logger = supervisor.configuration.logger
        shared = SharedViewState(
            feature: Feature.identifier,
            channel: channel.channel,
            events: events,
            maximumBytes: min(supervisor.configuration.maximumStateBytes, FrameLimits.maximumState),
            limits: supervisor.configuration.channelLimits
        )
        shared.onProblem { [weak self] in
            // Parentless: a hop to where the status is.
            Task { @MainActor in self?.noteProblem() }
        }
        // Weak: a hop to the main actor may be on its way while the coordinator is let go.
        engine.onShown = { [weak self] acknowledged, interruption in
            self?.shown(acknowledged)
            if let interruption { self?.recover(from: interruption) }
        }
        if let observer {
            engine.onState = { [weak engine] in observer.changed { engine?.state } }
        }
        engine.onHost = { [weak self] host in
            self?.report(HostStatusMessage(host))
            // After a reset by hand there is a worker again.
            if case .serving = host, let interruption = self?.unanswered.take() { self?.recover(from: interruption) }
        }
    }

    /// What a new worker would go on from.
    var acknowledgedState: Feature.DomainState? { engine.state }

    @discardableResult
    nonisolated func whenOpened(within limit: Duration? = nil) async throws -> Bool {
        try await engine.whenOpened(within: limit)
    }

    nonisolated func ask(_ question: [UInt8], _ terms: CallContext) async -> ActorReply {
        await ask(question, terms)
    }

    /// Lets the feature answer what the worker's death left unfinished.
    private func recover(from interruption: Interruption) {
        guard let state = engine.state, let action = Feature.recovery(from: interruption, in: state) else { return }
        logger.info("recovering \(Feature.identifier) from \(interruption)")
        channel.send(action).onCompletion { [weak self] outcome in
            // One that went to quarantine is not sent again: it would end the next worker too.
            guard case .rejected(let rejection) = outcome, rejection.code != .quarantined else { return }
            // Parentless: one hop, and nothing waits for it.
            Task { @MainActor in self?.leaveUnanswered(interruption) }
        }
    }

    /// Several may be, of which each may know of other effects.
    private func leaveUnanswered(_ interruption: Interruption) {
        let names = Set(interruption.effects.map(\.name))
        let earlier = unanswered?.effects.filter { !names.contains($0.name) } ?? []
        unanswered = Interruption(
            cause: interruption.cause,
            incarnation: interruption.incarnation,
            effects: (interruption.effects + earlier).sorted { $0.name < $1.name },
            report: interruption.report
        )
        // The next worker may have been there before.
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
        // It may have changed while that was waited for.
        if isAhead { show() }
        channels.append(channel)
        beginUse()
        shared.attach(channel, of: client, on: session, status: HostStatusMessage(engine.host))
    }

    /// Channels of clients that are shown the view state.
    var channelCount: Int { channels.count }

    func detach(_ channel: ChannelServer) {
        shared.detach(channel)
        guard let index = channels.firstIndex(where: { $0 === channel }) else { return }
        channels.remove(at: index)
        endUse()
    }

    func leaveBehind(_ channel: ChannelServer, of client: EventSender) {
        detach(channel)
        events.leaveBehind(channel, of: client)
    }

    func lose(_ client: EventSender) {
        events.lose(client, cancelling: cancelsLostEffects)
    }

    // MARK: Life

    func beginUse() {
        use.begin()
    }

    func endUse() {
        if use.end(at: .now), let idleTimeout { look(after: idleTimeout) }
    }

    /// Whether no worker has ever served it, and nobody waits for that.
    var isFutile: Bool { use.isUnused && !engine.hasOpened }

    /// The coordinator's own program has the view model, and closes it by hand.
    func keep() {
        use.keep()
    }

    private func look(after wait: Duration) {
        let eventLoop = workerChannels.eventLoop
        eventLoop.execute { [weak self] in
            eventLoop.after(milliseconds: max(1, wait.milliseconds)) {
                // Parentless: one hop, and nothing waits for it.
                Task { @MainActor in self?.look() }
            }
        }
    }

    private func look() {
        guard let idleTimeout, let onIdle else { return }
        switch use.look(at: .now, isBusy: channel.channel.hasEvents || events.hasEvents, limit: idleTimeout) {
        case .inUse: break
        case .again(let wait): look(after: wait)
        case .idle: onIdle()
        }
    }

    func release() {
        let reason = "the coordinator has let go of this instance of \"\(Feature.identifier)\""
        let status = HostStatusMessage(.failed(HostFailure(reason: reason)))
        channel.channel.report(ChannelUpdate.HostReport(status: status, coordinator: nil))
        // First: clients hear how what they had running ends.
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
        // A state that is on its way comes after the end: the program is given none any more.
        engine.onState = nil
    }

    private func report(_ status: HostStatusMessage) {
        guard !channels.isEmpty else { return }
        // Behind the answers of those that are being attached.
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

    /// The host's status says why clients have an older view state.
    private func noteProblem() {
        let problem = shared.problem
        if let problem, problem != engine.sharingProblem { logger.error("\(problem)") }
        engine.sharingProblem = problem
    }

    /// Sends clients a view state that is not the view model's, for those who measure only that.
    func publish(_ viewState: Feature.ViewState) throws {
        try shared.publish(viewState)
    }
}
