package import LatticeCalls
import LatticeConcurrency
package import LatticeCore
package import LatticeSession

/// The engine of a view model whose feature runs in another process. Actions are sent to the channel. Everything that a
/// tick of the event loop brings is passed to the main actor in one hop and shown there.
@MainActor
package final class RemoteEngine<Action: Encodable & Sendable, ViewState: Sendable>: ViewModelEngine {
    private struct Inbox {
        var update = ChannelUpdate()
        var viewState: ViewState?
        /// The changes from the displayed state to `viewState`, or nil if they are unknown.
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

        mutating func take(_ viewState: ViewState, by changes: [[UInt8]]?) {
            if let changes, self.viewState == nil || self.changes != nil {
                let all = (self.changes ?? []) + changes
                self.changes = all.count <= RemoteEngine.maximumChanges ? all : nil
            } else {
                self.changes = nil
            }
            self.viewState = viewState
        }
    }

    /// The maximum number of changes that wait for the main actor. With more changes, the state is shown as a whole, so
    /// that a blocked main actor does not keep them in memory.
    private nonisolated static var maximumChanges: Int { 64 }

    private var status = ShownStatus()
    /// The newest view state that was shown.
    package private(set) var viewState: ViewState?

    /// Changes the displayed state in place. Nil if the states do not travel as patches.
    private let change: (([[UInt8]], inout ViewState) throws -> Void)?
    private weak var presenter: (any ViewModelPresenter<ViewState>)?
    private nonisolated let inbox = Locked(Inbox())
    private nonisolated let opening = ChannelOpening()
    private var asker: Asker?
    private nonisolated let onClose = Locked<(@Sendable () -> Void)?>(nil)
    private var actions: ActionSender<Action>?
    /// The object that passes on what arrives.
    private var source: AnyObject?

    /// Creates an engine that shows the states that it receives.
    package init() {
        change = StatePatching<ViewState>.make().map { patching in { try patching.apply($0, to: &$1) } }
    }

    /// The status of the process that runs the feature, including problems of this process.
    package var host: HostStatus { status.host }

    /// Connects the engine with its channel. Must be called once, before anything is sent.
    ///
    /// - Parameters:
    ///   - actions: Sends the actions.
    ///   - source: The object that passes on what arrives, which is retained. Nil if the channel does it.
    ///   - asking: Sends questions to the server of the channel. Nil if questions cannot be sent.
    ///   - onClose: Called when the view model is closed. Nil if others share the feature.
    package func connect(
        _ actions: ActionSender<Action>,
        source: AnyObject? = nil,
        asking: Asker? = nil,
        onClose: (@Sendable () -> Void)? = nil
    ) {
        self.actions = actions
        self.source = source
        asker = asking
        self.onClose.withLock { $0 = onClose }
    }

    /// Sets the presenter, which is not retained.
    package func start(presenter: any ViewModelPresenter<ViewState>) {
        self.presenter = presenter
    }

    /// Sends an action as an event.
    package func send(_ action: Action) -> EventTask {
        actions?.send(action) ?? EventTask(ended: .rejected(.closed))
    }

    /// Sends an action as an event with a deadline.
    package func send(_ action: Action, deadline: ContinuousClock.Instant) -> EventTask {
        actions?.send(action, deadline: deadline) ?? EventTask(ended: .rejected(.closed))
    }

    /// A closure that sends an encoded question and returns the outcome.
    package typealias Asker = @Sendable (_ question: [UInt8], _ context: CallContext) async -> CallOutcome

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
        try await opening.wait(within: limit)
    }

    // MARK: From the event loop

    /// Takes over an update, which is shown after ``hop()``. You can call it on any thread.
    ///
    /// - Parameters:
    ///   - update: The outcomes of events and the changes of the channel.
    ///   - viewState: The view state that contains the events, or nil if it has not changed.
    ///   - changes: The changes that lead to the view state, or nil if they are unknown.
    /// - Returns: A Boolean value that indicates whether the caller must call ``hop()``. If it is false, an earlier
    ///   caller does.
    package nonisolated func add(
        _ update: ChannelUpdate,
        showing viewState: ViewState?,
        by changes: [[UInt8]]? = nil
    ) -> Bool {
        inbox.withLock { inbox in
            inbox.add(update)
            if let viewState { inbox.take(viewState, by: changes) }
            defer { inbox.isScheduled = true }
            return !inbox.isScheduled
        }
    }

    /// Shows everything that has arrived by the time of the next turn of the main actor. You can call it on any thread.
    package nonisolated func hop() {
        // The only task without a parent. It exists for one hop to the main actor, and is not awaited.
        Task { @MainActor in drain() }
    }

    /// Starts from the present state of a feature that others already use.
    ///
    /// - Parameters:
    ///   - viewState: The view state.
    ///   - changes: The status of the host, the problem with its states, and whether it has opened the feature.
    package func begin(showing viewState: ViewState, _ changes: [ChannelUpdate.Change]) {
        self.viewState = viewState
        _ = status.note(changes)
        opening.note(changes)
    }

    /// Shows everything that has arrived.
    private func drain() {
        let arrived = inbox.withLock { $0.takeAll() }
        let changes = arrived.update.changes
        if !changes.isEmpty, status.note(changes) { presenter?.update(host: status.host) }
        if let viewState = arrived.viewState {
            self.viewState = viewState
            // Each state is a new value with the same identity.
            presenter?.update(keepsIdentity: true) { show(viewState, by: arrived.changes, in: &$0) }
        }
        opening.note(changes)
        for ending in arrived.update.endings { ending.promise.ended(ending.outcome, report: ending.report) }
    }

    /// Shows a state. The displayed state has observers, so it is changed in place where possible.
    private func show(_ viewState: ViewState, by changes: [[UInt8]]?, in shown: inout ViewState) {
        if let change, let changes, (try? change(changes, &shown)) != nil { return }
        shown = viewState
    }
}

extension RemoteEngine where ViewState: Decodable {
    /// The closure that receives the deliveries of the channel. It does not retain the engine. Without the engine, it
    /// only completes the events.
    package nonisolated var receiver: @Sendable (Delivery<ViewState>) -> Void {
        { [weak self] delivery in
            if let self { receive(delivery) } else { delivery.endEvents() }
        }
    }

    /// Takes over a delivery and schedules it for the main actor. Call it on the event loop.
    package nonisolated func receive(_ delivery: Delivery<ViewState>) {
        let changes = delivery.changes
        let viewState = delivery.decodeState()
        if add(delivery.channelUpdate, showing: viewState, by: changes) { hop() }
    }
}
