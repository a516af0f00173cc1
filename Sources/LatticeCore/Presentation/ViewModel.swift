public import Observation

/// Owns the view state of a feature and sends events to its interactor, wherever the interactor runs.
///
/// Observers are notified once per turn, and only of changes. If the view state is an ``ObservableState``, the
/// observers of each changed property are notified. For any other view state, the observers of ``viewState`` are
/// notified. During the notification, observers still read the previous view state. When the view model is deallocated,
/// the effects of its events are cancelled.
///
/// You can read properties of the view state through the view model: `viewModel.name`. The view model's own members
/// take precedence. If a view state has a property that is called `viewState`, `viewStates`, `bindings` or
/// `hostStatus`, read it as `viewModel.viewState.bindings`.
@dynamicMemberLookup
@MainActor
public final class ViewModel<F: FeatureTypes>: Observable {
    /// A value that the interactor handles.
    public typealias Action = F.Action
    /// The state that the interactor changes.
    public typealias DomainState = F.DomainState
    /// The state that is shown.
    public typealias ViewState = F.ViewState

    nonisolated let engine: any ViewModelEngine<Action, ViewState>
    private let areViewStatesEqual: @Sendable (ViewState, ViewState) -> Bool
    private nonisolated let registrar = ObservationRegistrar()
    // Stored because creating the key path of a generic type costs more than everything else in a turn.
    private let viewStateKeyPath = \ViewModel.viewState
    private let partsKeyPath = \ViewModel.parts
    private let hostStatusKeyPath = \ViewModel.hostStatus
    /// The operations of an ``ObservableState``, or nil if the view state is observed as a whole.
    private let observableState: ObservableStateType<ViewState>?
    private var storedHostStatus: HostStatus
    // These two properties and the engine's presenter are not checked for overlapping accesses. With the check, the
    // sends of `lattice-bench local` are 0.025 µs slower. Each access reads or writes in one step, so no two
    // overlap.
    @exclusivity(unchecked) private var storedViewState: ViewState
    /// The source of ``viewStates``, or nil if ``viewStates`` has no reader.
    @exclusivity(unchecked) private var feed: ViewStateFeed<ViewState>?

    /// Creates a view model over any engine.
    /// - Parameters:
    ///   - viewState: The view state that is shown until the engine updates it.
    ///   - areViewStatesEqual: Returns whether two view states are equal for observers. It is not called for an
    ///     ``ObservableState``.
    package init(
        viewState: ViewState,
        engine: any ViewModelEngine<Action, ViewState>,
        areViewStatesEqual: @escaping @Sendable (ViewState, ViewState) -> Bool
    ) {
        self.engine = engine
        self.areViewStatesEqual = areViewStatesEqual
        observableState = .make()
        storedViewState = viewState
        observableState?.place(&storedViewState)
        storedHostStatus = engine.host
        engine.start(presenter: self)
    }

    deinit {
        engine.close()
        feed?.finish()
    }

    /// The current view state.
    ///
    /// If the view state is an ``ObservableState``, the observers of this property are notified only when its identity
    /// changes: an enum changes its case, or the feature runs in this process and replaces the value by a new one. Use
    /// ``viewStates`` to receive every change.
    public var viewState: ViewState {
        registrar.access(self, keyPath: viewStateKeyPath)
        return storedViewState
    }

    /// The view state, for the access to one of its properties. The properties of an ``ObservableState`` are observed
    /// separately, so replacing the state with a new value need not notify the readers of each property.
    private var parts: ViewState {
        registrar.access(self, keyPath: observableState == nil ? viewStateKeyPath : partsKeyPath)
        return storedViewState
    }

    /// An asynchronous sequence of the current view state and then each change, for `for await`.
    public var viewStates: ViewStates<ViewState> {
        let feed = feed ?? ViewStateFeed(storedViewState)
        self.feed = feed
        return ViewStates(feed: feed)
    }

    /// The place where the interactor runs, and its status there.
    public var hostStatus: HostStatus {
        registrar.access(self, keyPath: hostStatusKeyPath)
        return storedHostStatus
    }

    /// Returns a property of the view state, unless the view model has a member of that name.
    public subscript<Value>(dynamicMember keyPath: KeyPath<ViewState, Value>) -> Value {
        parts[keyPath: keyPath]
    }

    /// Catches a common mistake, so that the compiler can say what to write instead.
    @_disfavoredOverload
    public subscript<Value>(dynamicMember keyPath: KeyPath<_ViewModelMistakes<Action>, Value>) -> Value {
        _ViewModelMistakes<Action>()[keyPath: keyPath]
    }

    /// Sends an event to the interactor.
    ///
    /// If the feature runs in this process, ``viewState`` is up to date when this method returns. An event that is sent
    /// from inside a turn, for example by an observer, is handled after that turn.
    /// - Complexity: In this process, the cost of the interactor and the reducer, plus O(*n*) to compare view states,
    ///   where *n* is the size of the view state. The comparison skips parts that share their storage with the previous
    ///   view state.
    @discardableResult
    public func sendViewEvent(_ event: Action) -> EventTask {
        engine.send(event)
    }

    /// Sends an event that expires at a deadline, wherever its interactor runs.
    ///
    /// If the event is not applied by the deadline, it is never applied and ends as ``EventOutcome/rejected(_:)`` with
    /// ``EventRejection/deadlinePassed``. If it is applied and its effects are still running at the deadline, they are
    /// cancelled and the event ends as ``EventOutcome/cancelled``, even if this process has exited.
    ///
    /// Another process receives the remaining time in milliseconds, rounded up, and the time continues there when the
    /// event is read. If the other process does not say in time how the event has ended, because it hangs, the event
    /// ends here as cancelled at a stage that is ``Cancellation/Stage/unknown``. The `deadlineGrace` of a client or
    /// coordinator, by default 30 milliseconds, is the time for it. Effects read the deadline from
    /// ``Deadline/current``.
    ///
    /// ```swift
    /// let task = viewModel.sendViewEvent(.search("swift"), deadline: .now + .seconds(2))
    /// if await task.finish() == .rejected(.deadlinePassed) { … }
    /// ```
    /// - Parameters:
    ///   - event: The action that is sent as an event.
    ///   - deadline: The time after which the event is rejected or its effects are cancelled, on a clock that continues
    ///     while the machine sleeps.
    @discardableResult
    public func sendViewEvent(_ event: Action, deadline: ContinuousClock.Instant) -> EventTask {
        guard deadline > .now else { return EventTask(ended: .rejected(.deadlinePassed)) }
        return engine.send(event, deadline: deadline)
    }
}

extension ViewModel: ViewModelPresenter {
    /// Changes the view state, and notifies observers if it differs afterwards.
    package func update(keepsIdentity: Bool, _ change: (inout ViewState) -> Void) {
        var next = storedViewState
        change(&next)
        if let observableState { return show(next, observableState, keepsIdentity: keepsIdentity) }
        guard !areViewStatesEqual(storedViewState, next) else {
            // Observers need no notification. The bytes of the new value may still differ, and a patch changes those
            // bytes.
            storedViewState = next
            return
        }
        registrar.withMutation(of: self, keyPath: viewStateKeyPath) { storedViewState = next }
        publish()
    }

    /// Changes the status of the host, and notifies observers if it differs.
    package func update(host: HostStatus) {
        guard host != storedHostStatus else { return }
        registrar.withMutation(of: self, keyPath: hostStatusKeyPath) { storedHostStatus = host }
    }

    private func show(
        _ next: ViewState,
        _ observableState: ObservableStateType<ViewState>,
        keepsIdentity: Bool
    ) {
        var next = next
        var changes = _ObservationChanges(keepsIdentity: keepsIdentity)
        let relation = observableState.settle(&next, over: storedViewState, &changes)
        changes.willChange()
        switch relation {
        case .replacement where changes.hasChanges:
            registrar.withMutation(of: self, keyPath: viewStateKeyPath) { storedViewState = next }
        case .same, .replacement:
            // Stored even if no change was noted: properties without observers may have changed.
            storedViewState = next
        case .other:
            registrar.withMutation(of: self, keyPath: partsKeyPath) {
                registrar.withMutation(of: self, keyPath: viewStateKeyPath) { storedViewState = next }
            }
        }
        changes.didChange()
        if relation == .other || changes.hasChanges { publish() }
    }

    private func publish() {
        guard feed != nil else { return }
        // The last reader has gone.
        if isKnownUniquelyReferenced(&feed) {
            feed = nil
            return
        }
        feed?.publish(storedViewState)
    }
}
