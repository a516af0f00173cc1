import LatticeConcurrency
package import LatticeCore
package import LatticeSession
package import LatticeWire

/// The engine of a view model whose feature runs elsewhere: sends go to the channel; what comes back is shown on the
/// main actor, in one hop for all that a tick of the event loop brought.
@MainActor
package final class RemoteEngine<
    Action: Encodable & Sendable,
    State: Decodable & Sendable,
    ViewState: Sendable
>: ViewModelEngine {
    private struct Inbox {
        var news = ChannelUpdate()
        var state: State?
        /// How that came since the one that is shown, as long as that is known.
        var changes: [[UInt8]]?
        var isScheduled = false

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

    /// With more than these the state is shown as a whole, so that a main actor that stands still keeps no more.
    private nonisolated static var maximumChanges: Int { 64 }

    package private(set) var host: HostStatus = .connecting
    /// The same without what is wrong on this side.
    private var reported: HostStatus = .connecting
    /// What the coordinator has told last of the end of a worker in this session, if it tells that.
    private var crash: ToldCrash?
    private var stateProblem: String?
    /// Why those who share what is shown have something older; nil while they have not.
    package var sharingProblem: String? { didSet { if sharingProblem != oldValue { showHost() } } }
    /// Called after each change of the view state or of what is acknowledged, before the events of it end.
    package var onShown: ((_ acknowledged: UInt64, _ interruption: Interruption?) -> Void)?
    /// Called when a state that came is shown, before `onShown`.
    package var onState: (() -> Void)?
    /// Called when the host's status changed.
    package var onHost: ((HostStatus) -> Void)?
    /// Whether the other side has opened the channel at some time.
    package private(set) var hasOpened = false
    /// The newest state that was shown, or what the other side starts from.
    package private(set) var state: State?

    /// Whether states are shown as they come: each is another value, and yet the same state.
    private let showsCopies: Bool
    private let apply: @MainActor (State, inout ViewState) -> Void
    /// Changes what is shown in place, where states are shown as they come and travel as patches.
    private let change: (([[UInt8]], inout ViewState) throws -> Void)?
    private weak var presenter: (any ViewModelPresenter<ViewState>)?
    private nonisolated let inbox = Locked(Inbox())
    private nonisolated let opened = Locked(OneShot<Result<Void, any Error>>())
    private var asks: Asker?
    private nonisolated let onClose = Locked<(@Sendable () -> Void)?>(nil)
    private var channel: FeatureClient<Action, State>?

    /// - Parameters:
    ///   - state: What the other side starts from, if this side says it.
    ///   - apply: Turns a state that came into the view state.
    package init(state: State? = nil, apply: @escaping @MainActor (State, inout ViewState) -> Void) {
        showsCopies = false
        self.state = state
        self.apply = apply
        change = nil
    }

    /// An engine that shows the states as they come.
    package init() where State == ViewState {
        showsCopies = true
        apply = { $1 = $0 }
        change = StatePatching<State>.make().map { patching in { try patching.apply($0, to: &$1) } }
    }

    /// Connects the engine with its channel; once, before anything is sent.
    ///
    /// - Parameters:
    ///   - asking: Asks whoever serves the channel; nil: nobody is asked.
    ///   - onClose: Called when the view model goes; nil where others share the feature behind it.
    package func connect(
        _ channel: FeatureClient<Action, State>,
        asking: Asker? = nil,
        onClose: (@Sendable () -> Void)? = nil
    ) {
        self.channel = channel
        asks = asking
        self.onClose.withLock { $0 = onClose }
    }

    package func start(presenter: any ViewModelPresenter<ViewState>) {
        self.presenter = presenter
    }

    package func send(_ action: Action) -> EventTask {
        channel?.send(action) ?? EventTask(ended: .rejected(.closed))
    }

    package func send(_ action: Action, deadline: ContinuousClock.Instant) -> EventTask {
        channel?.send(action, deadline: deadline) ?? EventTask(ended: .rejected(.closed))
    }

    /// Sends an encoded question, and returns how it was answered.
    package typealias Asker = @Sendable (_ question: [UInt8], _ terms: CallContext) async -> ActorReply

    package func ask<Feature: AnsweringFeature>(
        _ question: Feature.Question,
        of feature: Feature.Type,
        until deadline: ContinuousClock.Instant
    ) async throws -> Feature.Answer {
        guard let asks else { throw QuestionError.notServed(feature.identifier, "its view model does not reach it") }
        if case .failed(let failure) = host { throw QuestionError.notServed(feature.identifier, failure.reason) }
        var terms = CallContext.current
        terms.deadline = EventDeadline(deadline)
        return try await FeatureAnswering.ask(question, of: feature) { [terms] in await asks($0, terms) }
    }

    /// Leaves the channel, if the view model is the only one behind it.
    package nonisolated func close() {
        onClose.withLock(\.self)?()
    }

    /// Returns when the other side has opened the channel and its first state is shown.
    ///
    /// - Parameter limit: How long to wait; nil: for as long as it takes.
    /// - Returns: Whether it is open; false after the limit.
    /// - Throws: The `ChannelEnd` that says why it never will be; `CancellationError`.
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

    /// What the channel delivers to. It does not keep the engine alive, and once that is gone only ends the events.
    package nonisolated var receiver: @Sendable (Delivery<State>) -> Void {
        { [weak self] delivery in
            if let self { receive(delivery) } else { delivery.endEvents() }
        }
    }

    package nonisolated func receive(_ delivery: Delivery<State>) {
        let changes = delivery.changes
        let state = delivery.decodeState()
        let needsHop = inbox.withLock { inbox in
            inbox.news.merge(delivery.news)
            if let state { inbox.take(state, by: changes) }
            defer { inbox.isScheduled = true }
            return !inbox.isScheduled
        }
        // The one task without a parent: it lives for one hop to the main actor, and nothing waits for it.
        if needsHop { Task { @MainActor in drain() } }
    }

    private func drain() {
        let (news, state, changes) = inbox.withLock { inbox in
            defer { inbox = Inbox() }
            return (inbox.news, inbox.state, inbox.changes)
        }
        note(news.changes)
        if let state {
            self.state = state
            presenter?.update(keepsIdentity: showsCopies) { show(state, by: changes, in: &$0) }
            onState?()
        }
        let interruption = news.interrupted.map(Interruption.init)
        onShown?(news.acknowledged, interruption)
        notifyWaiters(news.changes)
        for ending in news.endings { ending.ticket.ended(ending.outcome, report: report(of: ending, interruption)) }
    }

    /// What is known of the end of the worker that is why.
    private func report(of ending: ChannelUpdate.Ending, _ interruption: Interruption?) -> TerminationReport? {
        switch ending.outcome {
        case .interrupted(_, interruption?.incarnation): interruption?.report.map(TerminationReport.init)
        default: ending.report ?? crash?.explanation(of: ending.outcome, of: ending.event).map(TerminationReport.init)
        }
    }

    /// What is shown has observers, so it is changed in place rather than replaced, where that can be done.
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
            case .crashReport(let message): crash = ToldCrash(message)
            // Another coordinator has lives with the same numbers.
            case .opened: crash = nil
            case .interrupted, .closed, .revived: break
            }
        }
        showHost()
    }

    /// Tells those who wait for the channel, and whoever asks later.
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
