import LatticeConcurrency
package import LatticeCore
package import LatticeSession
package import LatticeWire

/// The engine of a view model whose feature runs in another process. Actions are sent to the channel. Everything that a
/// tick of the event loop brings is passed to the main actor in one hop and shown there.
@MainActor
package final class RemoteEngine<
    Action: Encodable & Sendable,
    State: Decodable & Sendable,
    ViewState: Sendable
>: ViewModelEngine {
    private struct Inbox {
        var update = ChannelUpdate()
        var state: State?
        /// The changes from the displayed state to `state`, or nil if they are unknown.
        var changes: [[UInt8]]?
        var isScheduled = false
        /// The crash reports that the coordinator has sent in this session.
        var crashes = ReceivedCrashReports()

        mutating func add(_ update: ChannelUpdate) {
            self.update.merge(crashes.explain(update))
        }

        /// Removes everything that has arrived. The crash reports stay for later outcomes.
        mutating func takeAll() -> Inbox {
            let arrived = self
            self = Inbox(crashes: crashes)
            return arrived
        }

        mutating func take(_ state: State, by changes: [[UInt8]]?) {
            if let changes, self.state == nil || self.changes != nil {
                let all = (self.changes ?? []) + changes
                self.changes = all.count <= RemoteEngine.maximumChanges ? all : nil
            } else {
                self.changes = nil
            }
            self.state = state
        }
    }

    /// The maximum number of changes that wait for the main actor. With more changes, the state is shown as a whole, so
    /// that a blocked main actor does not keep them in memory.
    private nonisolated static var maximumChanges: Int { 64 }

    /// The status of the process that runs the feature, including problems of this process.
    package private(set) var host: HostStatus = .connecting
    /// The status without problems of this process.
    private var reported: HostStatus = .connecting
    private var stateProblem: String?
    /// The reason why processes that share the displayed state have an older one, or nil if they do not.
    package var sharingProblem: String? { didSet { if sharingProblem != oldValue { showHost() } } }
    /// Called after each change of the view state or of the acknowledged events, before the events end.
    package var onShown: ((_ acknowledged: UInt64, _ interruption: Interruption?) -> Void)?
    /// Called when a received state is shown, before `onShown`.
    package var onState: (() -> Void)?
    /// Called when the host's status has changed.
    package var onHost: ((HostStatus) -> Void)?
    /// A Boolean value that indicates whether the peer has ever opened the channel.
    package private(set) var hasOpened = false
    /// The newest state that was shown, or the state that the peer starts from.
    package private(set) var state: State?

    /// Whether states are shown without a conversion. Each received state is a new value with the same identity.
    private let showsCopies: Bool
    private let apply: @MainActor (State, inout ViewState) -> Void
    /// Changes the displayed state in place. Nil if states are converted, or if they do not travel as patches.
    private let change: (([[UInt8]], inout ViewState) throws -> Void)?
    private weak var presenter: (any ViewModelPresenter<ViewState>)?
    private nonisolated let inbox = Locked(Inbox())
    private nonisolated let opened = Locked(OneShot<Result<Void, any Error>>())
    private var asker: Asker?
    private nonisolated let onClose = Locked<(@Sendable () -> Void)?>(nil)
    private var channel: FeatureClient<Action, State>?

    /// Creates an engine that converts states to view states.
    ///
    /// - Parameters:
    ///   - state: The state that the peer starts from, if this process provides it.
    ///   - apply: Updates the view state from a received state.
    package init(state: State? = nil, apply: @escaping @MainActor (State, inout ViewState) -> Void) {
        showsCopies = false
        self.state = state
        self.apply = apply
        change = nil
    }

    /// Creates an engine that shows the received states without a conversion.
    package init() where State == ViewState {
        showsCopies = true
        apply = { $1 = $0 }
        change = StatePatching<State>.make().map { patching in { try patching.apply($0, to: &$1) } }
    }

    /// Connects the engine with its channel. Must be called once, before anything is sent.
    ///
    /// - Parameters:
    ///   - channel: The channel of the feature.
    ///   - asking: Sends questions to the server of the channel. Nil if questions cannot be sent.
    ///   - onClose: Called when the view model is closed. Nil if others share the feature.
    package func connect(
        _ channel: FeatureClient<Action, State>,
        asking: Asker? = nil,
        onClose: (@Sendable () -> Void)? = nil
    ) {
        self.channel = channel
        asker = asking
        self.onClose.withLock { $0 = onClose }
    }

    /// Sets the presenter, which is not retained.
    package func start(presenter: any ViewModelPresenter<ViewState>) {
        self.presenter = presenter
    }

    /// Sends an action as an event.
    package func send(_ action: Action) -> EventTask {
        channel?.send(action) ?? EventTask(ended: .rejected(.closed))
    }

    /// Sends an action as an event with a deadline.
    package func send(_ action: Action, deadline: ContinuousClock.Instant) -> EventTask {
        channel?.send(action, deadline: deadline) ?? EventTask(ended: .rejected(.closed))
    }

    /// A closure that sends an encoded question and returns the reply.
    package typealias Asker = @Sendable (_ question: [UInt8], _ context: CallContext) async -> ActorReply

    /// Asks the feature a question.
    package func ask<Feature: AnsweringFeature>(
        _ question: Feature.Question,
        of feature: Feature.Type,
        until deadline: ContinuousClock.Instant
    ) async throws -> Feature.Answer {
        guard let asker else { throw QuestionError.notReached(feature.identifier) }
        if case .failed(let failure) = host { throw QuestionError.notServed(feature.identifier, failure.reason) }
        var context = CallContext.current
        context.deadline = MonotonicDeadline(deadline)
        return try await FeatureAnswering.ask(question, of: feature) { [context] in await asker($0, context) }
    }

    /// Leaves the channel if it is not shared with another view model.
    package nonisolated func close() {
        onClose.withLock(\.self)?()
    }

    /// Waits until the peer has opened the channel and its first state is shown.
    ///
    /// - Parameter limit: The maximum time to wait, or nil to wait without a limit.
    /// - Returns: Whether the channel is open. False after the limit.
    /// - Throws: The `ChannelEnd` with the reason if the channel will not be opened, or `CancellationError`.
    @discardableResult
    package nonisolated func whenOpened(within limit: Duration? = nil) async throws -> Bool {
        let opened = opened.withLock(\.self)
        guard let limit else {
            try await opened.value.get()
            return true
        }
        return try await opened.value(within: limit)?.get() != nil
    }

    // MARK: From the event loop

    /// The closure that receives the deliveries of the channel. It does not retain the engine. Without the engine, it
    /// only completes the events.
    package nonisolated var receiver: @Sendable (Delivery<State>) -> Void {
        { [weak self] delivery in
            if let self { receive(delivery) } else { delivery.endEvents() }
        }
    }

    /// Takes over a delivery and schedules it for the main actor. Call it on the event loop.
    package nonisolated func receive(_ delivery: Delivery<State>) {
        let changes = delivery.changes
        let state = delivery.decodeState()
        let needsHop = inbox.withLock { inbox in
            inbox.add(delivery.channelUpdate)
            if let state { inbox.take(state, by: changes) }
            defer { inbox.isScheduled = true }
            return !inbox.isScheduled
        }
        // The only task without a parent. It exists for one hop to the main actor, and is not awaited.
        if needsHop { Task { @MainActor in drain() } }
    }

    /// Shows everything that has arrived.
    private func drain() {
        let arrived = inbox.withLock { $0.takeAll() }
        let update = arrived.update
        note(update.changes)
        if let state = arrived.state {
            self.state = state
            presenter?.update(keepsIdentity: showsCopies) { show(state, by: arrived.changes, in: &$0) }
            onState?()
        }
        onShown?(update.acknowledged, update.interrupted.map(Interruption.init))
        notifyWaiters(update.changes)
        for ending in update.endings { ending.promise.ended(ending.outcome, report: ending.report) }
    }

    /// Shows a state. The displayed state has observers, so it is changed in place where possible.
    private func show(_ state: State, by changes: [[UInt8]]?, in shown: inout ViewState) {
        if let change, let changes, (try? change(changes, &shown)) != nil { return }
        apply(state, &shown)
    }

    private func showHost() {
        let host = reported.with(problem: stateProblem ?? sharingProblem)
        guard host != self.host else { return }
        self.host = host
        presenter?.update(host: host)
        onHost?(host)
    }

    private func note(_ changes: [ChannelUpdate.Change]) {
        guard !changes.isEmpty else { return }
        for change in changes {
            switch change {
            case .host(let host): reported = HostStatus(host.status, from: host.coordinator)
            case .problem(let sentence): stateProblem = sentence
            case .interrupted, .crashReport, .opened, .closed, .revived: break
            }
        }
        showHost()
    }

    /// Notifies the callers that wait for the channel, and stores the result for later ones.
    private func notifyWaiters(_ changes: [ChannelUpdate.Change]) {
        for change in changes {
            switch change {
            case .interrupted, .host, .problem, .crashReport: break
            case .opened:
                hasOpened = true
                opened.withLock(\.self).complete(.success(()))
            case .revived: renewIfComplete()
            case .closed(let end):
                renewIfComplete()
                opened.withLock(\.self).complete(.failure(end))
            }
        }
    }

    private func renewIfComplete() {
        opened.withLock { if $0.isComplete { $0 = OneShot() } }
    }
}
