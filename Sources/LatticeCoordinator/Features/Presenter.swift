import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport
import LatticeWire

/// Shows the states of one instance's worker: to clients through ``SharedViewState``, and to the view model of the
/// coordinator's own program, if the program has one. If the feature has a view state for each viewer, clients get them
/// through ``ViewerStates``.
///
/// It runs the feature's reducer on the event loop, so that neither clients nor their outcomes wait for the main actor.
/// A reducer that was slow, or whose view state is large, runs on a coding thread the next time. Everything happens in
/// the order of the view states that are shared, one operation at a time.
final class Presenter<Feature: HostedFeature>: TickObserver {
    typealias Engine = RemoteEngine<Feature.Action, Feature.ViewState>

    private let instance: RuntimeEvent.Instance
    private let runtimeEvents: RuntimeEvents
    let eventLoop: any EventLoop
    private let events: ClientEvents
    /// The view state that clients share.
    let shared: SharedViewState<Feature.ViewState>
    /// The view states of the clients, if the feature has one for each viewer. Nil if all clients share ``shared``.
    let viewers: (any ViewerSharing<Feature.DomainState>)?
    let opening = ChannelOpening()
    /// What the presenter knows of the instance. Its lock also protects the next four properties. They are not part of
    /// its value, because that would have a generic type, which is looked up in each operation. With such a value, the
    /// event loop took 1.8 times the processor time for each round trip of `lattice-bench relay`.
    private let known = Locked(PresenterState())
    /// The newest domain state.
    private nonisolated(unsafe) var newestDomainState: Feature.DomainState
    /// The newest view state.
    private nonisolated(unsafe) var newestViewState: Feature.ViewState
    /// The channel to the worker, or nil until `connect`.
    private nonisolated(unsafe) var channel: FeatureClient<Feature.Action, Feature.DomainState>?
    /// The engine of the program's view model. Nil until the program asks for it. The view model owns it.
    private nonisolated(unsafe) weak var engine: Engine?
    /// The engine that shows something new after the tick. The view model may be released before that, and its events
    /// end all the same.
    private let waking: LoopBound<Engine?>
    // These two are not checked, because only an operation of the shared view state's order uses them.
    private nonisolated(unsafe) let reducer: _ResolvedViewStateReducer<Feature.DomainState, Feature.ViewState>
    /// The view state that the reducer changes.
    private nonisolated(unsafe) var viewStateOfReducer: Feature.ViewState

    /// - Parameters:
    ///   - first: The domain state that is shown before a worker serves the instance.
    ///   - isAcknowledged: Whether the worker starts from this state, because this process provides it.
    ///   - context: What the view states of the instance have in common.
    init(showing first: Feature.DomainState, isAcknowledged: Bool, in context: SharingContext) {
        let presentation = Presentation(of: Feature.self, at: first)
        instance = context.instance
        runtimeEvents = context.runtimeEvents
        eventLoop = context.eventLoop
        events = context.events
        shared = SharedViewState(context)
        viewers = Self.makeViewers(context)
        reducer = presentation.reducer
        waking = LoopBound(nil, to: eventLoop.thread)
        viewStateOfReducer = presentation.viewState
        newestViewState = presentation.viewState
        newestDomainState = first
        if isAcknowledged { known.withLock { $0.hasDomainState = true } }
        shared.onProblem { [weak self] problem, _ in self?.noteSharing(problem) }
        viewers?.onProblem { [weak self] in self?.noteSharing($0, isFirst: $1, with: $2) }
    }

    /// Returns the view states of the viewers, or nil if the feature does not ask for them.
    private static func makeViewers(_ context: SharingContext) -> (any ViewerSharing<Feature.DomainState>)? {
        func make<Known: ViewerFeature>(_ known: Known.Type) -> any ViewerSharing { ViewerStates<Known>(context) }
        // The type of the domain state is the same, which the compiler cannot know.
        return (Feature.self as? any ViewerFeature.Type).map { make($0) } as? any ViewerSharing<Feature.DomainState>
    }

    /// Sets the channel to the worker. Call this once, before there are clients.
    ///
    /// - Parameters:
    ///   - channel: The channel.
    ///   - programSender: The sender of the events of the coordinator's own program.
    func connect(
        _ channel: FeatureClient<Feature.Action, Feature.DomainState>,
        programSender: EventSender
    ) {
        events.connect(
            ClientEvents.Destination(channel: channel.channel, order: shared.order, programSender: programSender)
        )
        known.withLock { _ in self.channel = channel }
    }

    /// The status of the process that runs the instance.
    var hostStatus: HostStatus { known.withLock { $0.status.host } }

    /// The state from which a new worker would continue, or nil if a worker has not served the instance yet.
    var domainState: Feature.DomainState? {
        known.withLock { $0.hasDomainState ? newestDomainState : nil }
    }

    /// The newest domain state that is shown.
    var shownDomainState: Feature.DomainState { known.withLock { _ in newestDomainState } }

    /// The newest view state.
    var viewState: Feature.ViewState { known.withLock { _ in newestViewState } }

    // MARK: The program

    /// Shows everything from now on to the engine of the program's view model.
    ///
    /// - Returns: The present view state.
    @MainActor func show(to engine: Engine) -> Feature.ViewState {
        let (viewState, changes) = known.withLock { known in
            self.engine = engine
            return (newestViewState, known.status.changes)
        }
        engine.begin(showing: viewState, changes + (opening.change.map { [$0] } ?? []))
        return viewState
    }

    /// Calls a closure when there is a newer domain state, until `stopObserving`.
    func observe(_ changed: @escaping @Sendable () -> Void) {
        known.withLock { $0.observer = changed }
    }

    func stopObserving() {
        known.withLock { $0.observer = nil }
    }

    // MARK: The worker

    /// Shows what one tick brought from the worker. Call it on the event loop.
    func receive(_ delivery: Delivery<Feature.DomainState>) {
        let isLarge = delivery.isLarge
        let domainState = delivery.decodeState()
        let update = delivery.channelUpdate
        let isLong = domainState != nil && (isLarge || known.withLock { $0.isSlow } || self.isLong)
        if !isLong, shared.order.begin() {
            begin(update)
            if let domainState { show(domainState, throughForwarded: update.acknowledged) }
            finish(update, hasChanged: domainState != nil)
            shared.order.end()
        } else {
            if !update.changes.isEmpty { shared.order.perform { [self] in begin(update) } }
            if let domainState {
                shared.order.performInParts(shows: true) { [self] in
                    // A client may have come in the meantime.
                    guard isLong || self.isLong else {
                        show(domainState, throughForwarded: update.acknowledged)
                        finish(ChannelUpdate(), hasChanged: true)
                        return .done
                    }
                    return showInParts(domainState, throughForwarded: update.acknowledged)
                }
            }
            // While a reducer does not return, states take each other's place. The outcomes wait, and clients have a
            // limited number of events in flight.
            if domainState == nil || !update.isEmpty {
                shared.order.perform { [self] in finish(update, hasChanged: false) }
            }
        }
        events.proceed()
    }

    /// A Boolean value that indicates whether showing the next domain state to the clients takes long.
    private var isLong: Bool { shared.isLarge || viewers?.isLong ?? false }

    /// Notes a changed status before the state is shown.
    private func begin(_ update: ChannelUpdate) {
        guard !update.changes.isEmpty, known.withLock({ $0.status.note(update.changes) }) else { return }
        report()
        viewers?.report { status(withProblem: $0) }
    }

    /// Shows a domain state, without leaving the event loop.
    private func show(_ domainState: Feature.DomainState, throughForwarded number: UInt64) {
        let observer = reduce(domainState)
        shared.present(shared.isShared ? shared.encode(viewStateOfReducer) : nil, throughForwarded: number)
        viewers?.show(domainState, throughForwarded: number)
        observer?()
    }

    /// Shows a domain state that takes long to reduce or to encode. A coding thread does both.
    private func showInParts(
        _ domainState: Feature.DomainState,
        throughForwarded number: UInt64
    ) -> SharingQueue.Step {
        let isShared = shared.isShared
        return .compute { [self] in
            let observer = reduce(domainState)
            let encoded = isShared ? shared.encode(viewStateOfReducer) : nil
            return { [self] in
                shared.present(encoded, throughForwarded: number)
                observer?()
                let end: SharingQueue.Operation = { [self] in
                    finish(ChannelUpdate(), hasChanged: true)
                    return .done
                }
                return viewers?.showInParts(domainState, throughForwarded: number, then: end) ?? end()
            }
        }
    }

    /// Reduces a domain state to the newest view state. Call it in an operation of the order.
    ///
    /// - Returns: The observer to call, or nil if the program does not observe.
    private func reduce(_ domainState: Feature.DomainState) -> (@Sendable () -> Void)? {
        let start = MonotonicTime.nanoseconds
        reducer.show(domainState, in: &viewStateOfReducer)
        let duration = MonotonicTime.nanoseconds - start
        // The old states are released outside the lock.
        var (oldDomainState, oldViewState) = (domainState, viewStateOfReducer)
        return known.withLock { known in
            swap(&newestDomainState, &oldDomainState)
            swap(&newestViewState, &oldViewState)
            return known.reduced(within: duration)
        }
    }

    /// Handles what follows the state.
    private func finish(_ update: ChannelUpdate, hasChanged: Bool) {
        if !hasChanged {
            shared.acknowledge(throughForwarded: update.acknowledged)
            viewers?.acknowledge(throughForwarded: update.acknowledged)
        }
        if !update.changes.isEmpty {
            if let interrupted = update.interrupted { recover(from: Interruption(interrupted)) }
            opening.note(update.changes)
        }
        let (unanswered, engine) = known.withLock { ($0.takeUnanswered(), self.engine) }
        if let unanswered { recover(from: unanswered) }
        let ownEndings = endForwarded(update.endings)
        guard hasChanged || !ownEndings.isEmpty || !update.changes.isEmpty else { return }
        if let engine {
            show(localUpdate(update.changes, ownEndings), hasChanged ? viewState : nil, to: engine)
        } else {
            for ending in ownEndings { ending.promise.ended(ending.outcome, report: ending.report) }
        }
    }

    /// Ends the events of clients.
    ///
    /// - Returns: The endings of the events that this program has sent.
    private func endForwarded(_ endings: [ChannelUpdate.Ending]) -> [ChannelUpdate.Ending] {
        // Mostly all events are of one kind, and nothing is copied.
        guard endings.contains(where: { $0.promise is ForwardedEvent }) else { return endings }
        var own: [ChannelUpdate.Ending] = []
        for ending in endings {
            if let forwarded = ending.promise as? ForwardedEvent {
                events.record(ending.outcome, of: forwarded, ending.report?.crash)
            } else {
                own.append(ending)
            }
        }
        events.releaseOutcomes()
        return own
    }

    private func show(_ update: ChannelUpdate, _ viewState: Feature.ViewState?, to engine: Engine) {
        guard engine.add(update, showing: viewState) else { return }
        // Waking the main actor takes several microseconds. The clients get what they wait for before that.
        waking.value = engine
        eventLoop.atEndOfTick(self)
    }

    /// Wakes the main actor, where the program's view model shows what the tick brought.
    func tickEnded() {
        waking.value.take()?.hop()
    }

    /// Returns what the program's view model receives.
    private func localUpdate(
        _ changes: [ChannelUpdate.Change],
        _ endings: [ChannelUpdate.Ending] = []
    ) -> ChannelUpdate {
        var update = ChannelUpdate()
        update.endings = endings
        for change in changes {
            // The view model shows problems of this process with either state.
            if case .problem = change {
                update.add(.problem(known.withLock { $0.status.problem }))
            } else {
                update.add(change)
            }
        }
        return update
    }

    // MARK: Status

    /// Notes why clients have an older view state, or that they have the newest one.
    private func noteSharing(_ problem: String?) {
        if let problem { runtimeEvents.emit(.viewStateWithheld, .viewStateWithheld(instance, reason: problem)) }
        guard known.withLock({ $0.status.note(sharingProblem: problem) }) else { return }
        report()
        if let engine = known.withLock({ _ in self.engine }) { show(localUpdate([.problem(problem)]), nil, to: engine) }
    }

    /// Notes why the clients of a viewer's view state have an older one, or that they have the newest one.
    ///
    /// - Parameter isFirst: Whether it is the only view state with a problem. A part that all of them have in common
    ///   can make each one too large, and that is one event.
    private func noteSharing(_ problem: String?, isFirst: Bool, with channels: [ChannelServer]) {
        if isFirst, let problem {
            runtimeEvents.emit(.viewStateWithheld, .viewStateWithheld(instance, reason: problem))
        }
        let status = status(withProblem: problem)
        for channel in channels { channel.report(status) }
    }

    /// Returns the status for the clients of a viewer's view state, which may have a problem.
    func status(withProblem problem: String?) -> HostStatusMessage {
        HostStatusMessage(known.withLock { $0.status.host(sharingProblem: problem) })
    }

    /// Reports the status to the clients that share the view state.
    private func report() {
        let host = hostStatus
        let channels = shared.channels
        if !channels.isEmpty {
            let status = HostStatusMessage(host)
            for channel in channels { channel.report(status) }
        }
    }

    // MARK: Recovery

    /// Lets the feature handle what the worker left unfinished.
    private func recover(from interruption: Interruption) {
        let channel = known.withLock { _ in self.channel }
        guard let domainState, let action = Feature.recovery(from: interruption, in: domainState) else { return }
        guard let channel else { return known.withLock { $0.leaveUntilConnected(interruption) } }
        runtimeEvents.emit(.instanceRecovered, .instanceRecovered(instance, interruption))
        let receiver = known.withLock { $0.incarnation }
        channel.actions.send(action, recoveringFrom: interruption).onCompletion { [weak self, eventLoop] outcome in
            guard case .rejected(let rejection) = outcome else { return }
            // Later, because the action may be rejected while it is sent.
            eventLoop.execute { [weak self] in
                self?.recoveryWasRejected(interruption, rejection, sentTo: receiver)
            }
        }
    }

    private func recoveryWasRejected(
        _ interruption: Interruption,
        _ rejection: EventRejection,
        sentTo receiver: UInt64?
    ) {
        guard known.withLock({ $0.recoveryWasRejected(interruption, rejection, sentTo: receiver) }) else { return }
        shared.order.perform { [self] in
            if let interruption = known.withLock({ $0.takeUnanswered() }) { recover(from: interruption) }
        }
    }
}
