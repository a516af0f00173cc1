import LatticeCalls
import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport
import LatticeWire

/// The host of one instance of a hosted feature, independent of the feature's types.
protocol FeatureHosting: AnyObject, Sendable {
    /// Adds a user, which is a caller that waits for the instance or a client that has it open. `endUse` removes it.
    func beginUse()
    /// Removes a user.
    func endUse()

    /// A Boolean value that indicates whether the instance has had no users for as long as its feature may be idle.
    /// Read it on the event loop.
    var isIdle: Bool { get }

    /// A Boolean value that indicates whether no worker has ever served the instance, and it has no users.
    var isDisposable: Bool { get }

    /// The status of the process that runs the instance.
    var hostStatus: HostStatus { get }

    /// The worker that runs the instance, and the sizes of what the coordinator keeps of it. Read it on the event loop.
    var figures: InstanceFigures { get }
    /// The duration that half of the recent events of clients did not exceed, and the one that 99 of 100 did not, in
    /// nanoseconds. Nil if none has ended lately. Computing it takes a walk through a few hundred counters.
    var durations: (half: Int64, most: Int64)? { get }
    /// The channels that their clients have left and whose events may still run. Read it on the event loop.
    var channelsLeftBehind: [(client: EventSender, server: ChannelServer)] { get }

    /// Informs the feature which clients have the instance open. Nil if the feature does not ask for it. Use it on the
    /// event loop.
    var presence: PresenceAnnouncer? { get }

    /// Waits until the channels of clients have received the view states that were published so far.
    func settleSharing() async

    /// The name under which the coordinator's own program sends events to the worker. No client may have it.
    var programSender: EventSender { get }

    /// Publishes the view state from now on to a client that opened the channel on this session.
    func attach(_ channel: ChannelServer, of client: OpeningClient, on session: Session) async -> ChannelAttachment
    /// Stops publishing the view state on a channel that its client opens again on this session.
    ///
    /// - Parameter isRefused: Whether the client will not get the view state again.
    func detach(_ channel: ChannelServer, openedAgainOn session: Session, isRefused: Bool)

    /// Stops publishing the view state on a channel that its client has closed. Events of the channel may still run.
    /// Call it on the event loop.
    func abandon(_ channel: ChannelServer, of client: EventSender)

    /// Notes that a client will not come back, and handles the events of its closed channels. Call it on the event
    /// loop.
    func lose(_ client: EventSender)

    /// Sends an encoded question to the feature in its worker, and returns the outcome.
    func ask(_ question: [UInt8], _ callContext: CallContext) async -> CallOutcome

    /// Closes the channel to the worker and the channels of all clients. This is the last call.
    func release()

    /// Waits until a worker serves the feature.
    ///
    /// - Parameter timeout: The maximum time to wait, or nil to wait without a limit.
    /// - Returns: True if a worker serves the feature, or false if the timeout has passed.
    /// - Throws: The reason, if no worker will ever serve the feature.
    func whenOpened(within timeout: Duration?) async throws -> Bool
}

/// One instance of a hosted feature in the coordinator: the channel to its worker, its presenter, its view model, and
/// the clients that share it.
final class FeatureHost<Feature: HostedFeature>: FeatureHosting {
    /// The view model of the coordinator's own program, once the program has asked for it. Only such an instance works
    /// on the main actor.
    @MainActor private var shown: (viewModel: ViewModel<Feature>, engine: Presenter<Feature>.Engine)?

    let programSender: EventSender
    /// The channels to the worker.
    private let workerChannels: ClientChannels
    /// The channel of the instance to its worker.
    let channel: FeatureClient<Feature.Action, Feature.DomainState>
    private let ask: @Sendable ([UInt8], CallContext) async -> CallOutcome
    let presenter: Presenter<Feature>
    private let runtimeEvents: RuntimeEvents
    private let instance: RuntimeEvent.Instance
    private let events: ClientEvents
    /// A Boolean value that indicates whether the running effects of a client are cancelled when the client is lost.
    private let cancelsLostEffects: Bool
    let presence: PresenceAnnouncer?
    private let use = Locked(IdleTracker())
    /// The time for which the instance may be idle, or nil if it is only closed explicitly.
    private let idleTimeout: Duration?
    /// A closure that closes the instance if it is idle.
    private let onIdle: @Sendable (FeatureHost) -> Bool

    /// - Parameters:
    ///   - instance: The key of the instance.
    ///   - supervisor: The supervisor of the worker.
    ///   - initialState: The state that the instance starts from, or nil for the initial state of the feature.
    ///   - observer: The observer of acknowledged states, if the program observes them.
    ///   - onIdle: Called on the event loop when the instance has had no users for as long as its feature may be idle.
    ///     Closes the instance if that is still so, and returns whether it did.
    /// - Throws: `ConfigurationError` if the configuration cannot be sent to the worker.
    init(
        instance: String,
        supervisor: WorkerSupervisor,
        startingFrom initialState: InitialState<Feature.DomainState>? = nil,
        observer: StateObserver<Feature.DomainState>? = nil,
        onIdle: @escaping @Sendable (FeatureHost) -> Bool
    ) throws(ConfigurationError) {
        let configuration = supervisor.configuration
        let context = configuration.context(of: Feature.self, instance: instance)
        let subject = try ChannelClient.Subject(Feature.self, in: context)
        let described = RuntimeEvent.Instance(
            feature: Feature.identifier,
            key: instance,
            member: supervisor.member
        )
        let runtimeEvents = supervisor.events
        let eventLoop = supervisor.channels.eventLoop
        let events = ClientEvents(
            on: eventLoop,
            limits: configuration.shareLimits,
            sharesReports: configuration.sharesCrashReports,
            runtimeEvents: runtimeEvents
        )
        let presenter = Presenter<Feature>(
            showing: initialState?.state ?? Feature.initialDomainState(in: context),
            isAcknowledged: initialState != nil,
            in: SharingContext(
                described,
                on: eventLoop,
                events: events,
                maximumBytes: min(configuration.maximumStateBytes, FrameLimits.maximumState),
                limits: configuration.channelLimits,
                runtimeEvents: runtimeEvents
            )
        )
        if let observer {
            let number = observer.begin()
            presenter.observe { [weak presenter] in
                observer.changed(number) { [weak presenter] in presenter?.domainState }
            }
        }
        self.instance = described
        self.runtimeEvents = runtimeEvents
        self.events = events
        self.presenter = presenter
        self.onIdle = onIdle
        workerChannels = supervisor.channels
        programSender = supervisor.sender
        idleTimeout = configuration.idleTimeout(of: Feature.self)
        cancelsLostEffects = configuration.cancelsEffectsOfLostClients(of: Feature.self)
        let observesStates = runtimeEvents.wants(.stateAccepted)
        // Before the worker can answer, so that it is the first event of the instance.
        runtimeEvents.emit(.instanceOpened, .instanceOpened(described))
        channel = FeatureClient(
            subject,
            in: supervisor.channels,
            sender: supervisor.sender,
            limits: configuration.channelLimits,
            initialState: initialState,
            events: runtimeEvents
        ) { [weak supervisor, weak presenter] delivery in
            // `opened` only repeats what the coordinator already has. A later state shows progress.
            if delivery.hasState, !delivery.channelUpdate.isOpened { supervisor?.progressed() }
            if observesStates, delivery.hasState {
                runtimeEvents.emit(.stateAccepted, .stateAccepted(described, delivery.stateUpdate))
            }
            // The reference is weak because the presenter keeps the channel.
            if let presenter { presenter.receive(delivery) } else { delivery.endEvents() }
        }
        presenter.connect(channel, programSender: supervisor.sender)
        presence = .make(
            for: Feature.self,
            on: eventLoop,
            in: { [weak presenter] in presenter?.domainState },
            send: { [channel] in channel.send($0) }
        )
        ask = { [weak supervisor, channel] in
            await supervisor?.ask($0, on: channel.channel.number, $1)
                ?? .failure(.refused, "The coordinator has stopped.")
        }
    }

    /// The view model of the coordinator's own program. It is created when it is read for the first time.
    @MainActor var viewModel: ViewModel<Feature> { show().viewModel }

    @MainActor private func show() -> (viewModel: ViewModel<Feature>, engine: Presenter<Feature>.Engine) {
        if let shown { return shown }
        let engine = Presenter<Feature>.Engine()
        engine.connect(channel.actions, source: presenter, asking: ask)
        let viewModel = ViewModel<Feature>(
            viewState: presenter.show(to: engine),
            engine: engine,
            areViewStatesEqual: { isUnchanged($0, $1) }
        )
        shown = (viewModel, engine)
        return (viewModel, engine)
    }

    /// Waits until a worker serves the feature and the view model shows its state.
    ///
    /// - Parameter timeout: The maximum time to wait.
    /// - Returns: True if a worker serves the feature, or false if the timeout has passed.
    /// - Throws: The reason, if no worker will ever serve the feature.
    @MainActor func whenShown(within timeout: Duration) async throws -> Bool {
        let deadline = ContinuousClock.now + timeout
        // First, because a caller that gives up must not leave a view model behind.
        guard try await whenOpened(within: timeout) else { return false }
        return try await show().engine.whenOpened(within: max(.zero, ContinuousClock.now.duration(to: deadline)))
    }

    var hostStatus: HostStatus { presenter.hostStatus }

    var figures: InstanceFigures {
        InstanceFigures(
            member: instance.member,
            status: presenter.hostStatus,
            revision: channel.channel.revision,
            stateBytes: channel.channel.stateBytes,
            acknowledged: channel.channel.acknowledged,
            view: presenter.viewFigures,
            events: InstanceFigures.Events(
                waiting: events.waitingCount,
                running: channel.channel.eventCount
            )
        )
    }

    var durations: (half: Int64, most: Int64)? { events.durations }

    var channelsLeftBehind: [(client: EventSender, server: ChannelServer)] { events.channelsLeftBehind }

    /// The state from which a new worker would continue.
    var acknowledgedState: Feature.DomainState? { presenter.domainState }

    @discardableResult
    func whenOpened(within timeout: Duration? = nil) async throws -> Bool {
        try await presenter.opening.wait(within: timeout)
    }

    func ask(_ question: [UInt8], _ callContext: CallContext) async -> CallOutcome {
        await ask(question, callContext)
    }

    // MARK: Clients

    var eventLoop: any EventLoop { workerChannels.eventLoop }

    func settleSharing() async {
        await withCheckedContinuation { waiter in
            eventLoop.execute { [order = presenter.shared.order] in order.perform { waiter.resume() } }
        }
    }

    func attach(_ channel: ChannelServer, of client: OpeningClient, on session: Session) async -> ChannelAttachment {
        beginUse()
        let result = await withCheckedContinuation { waiter in
            presenter.attach(channel, of: client, on: session) { waiter.resume(returning: $0) }
        }
        if case .attached = result { return result }
        endUse()
        return result
    }

    func detach(_ channel: ChannelServer, openedAgainOn session: Session, isRefused: Bool) {
        eventLoop.execute { [self] in
            // Not if the client has opened it on a newer session by then. A refusal may have been sent by then.
            let condition: @Sendable () -> Bool = {
                isRefused
                    ? channel.session == nil || channel.session === session
                    : channel.isOpening(on: session)
            }
            presenter.detach(channel, isReturning: !isRefused, if: condition, done: { [self] in endUse() })
        }
    }

    func abandon(_ channel: ChannelServer, of client: EventSender) {
        presenter.detach(channel, isReturning: false, done: { [self] in endUse() })
        events.leaveBehind(channel, of: client)
    }

    func lose(_ client: EventSender) {
        events.lose(client, cancelling: cancelsLostEffects)
    }

    // MARK: Idle time

    func beginUse() {
        use.withLock { $0.begin() }
    }

    func endUse() {
        if use.withLock({ $0.end(at: .now) }), let idleTimeout { scheduleCheck(after: idleTimeout) }
    }

    var isDisposable: Bool { use.withLock { $0.isUnused } && !presenter.opening.hasOpened }

    /// Notes that the coordinator's own program has the view model, so that the instance is only closed explicitly.
    func keep() {
        use.withLock { $0.keep() }
    }

    private func scheduleCheck(after wait: Duration) {
        eventLoop.execute { [weak self, eventLoop] in
            eventLoop.after(milliseconds: max(1, wait.milliseconds)) { [weak self] in self?.checkIdle() }
        }
    }

    private func checkIdle() {
        switch checkUse() {
        case .inUse: break
        case .again(let wait): scheduleCheck(after: wait)
        case .idle: if !onIdle(self), let idleTimeout { scheduleCheck(after: idleTimeout) }
        }
    }

    var isIdle: Bool { checkUse() == .idle }

    private func checkUse() -> IdleTracker.Result {
        guard let idleTimeout else { return .inUse }
        let isBusy = channel.channel.hasEvents || events.hasEvents
        return use.withLock { $0.check(at: .now, isBusy: isBusy, timeout: idleTimeout) }
    }

    func release() {
        runtimeEvents.emit(.instanceClosed, .instanceClosed(instance))
        let reason = "The coordinator has closed this instance of \"\(Feature.identifier)\"."
        let status = HostStatusMessage(.failed(HostFailure(reason: reason)))
        channel.channel.report(ChannelUpdate.HostReport(status: status, coordinator: nil))
        // This comes first, so that clients receive the outcomes of their running events.
        eventLoop.perform { [events, presence] in
            presence?.end()
            events.cancelWaiting()
        }
        // At once, so that the program sends no event any more.
        workerChannels.remove(channel.channel)
        eventLoop.perform { [presenter] in
            presenter.end { channels in
                for channel in channels {
                    channel.report(status)
                    channel.end(Closed(code: .draining, reason: reason))
                }
            }
        }
        // A pending state would arrive after the end. The program must not receive it.
        presenter.stopObserving()
    }

    /// Publishes a view state that is not the view model's, for measurements.
    func publish(_ viewState: Feature.ViewState) throws {
        try presenter.shared.publish(viewState)
    }
}
