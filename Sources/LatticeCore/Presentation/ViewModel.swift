public import Observation

/// Owns what a feature shows: sends events to wherever the interactor lives, and keeps the view state that comes back.
///
/// Observers hear once per turn, and only of what has changed: of an ``ObservableState`` those of the properties that
/// differ, of any other view state those of ``viewState``. While they are told, they still see what was shown before.
/// When the view model goes, the effects of its events are cancelled.
///
/// Properties of the view state are read through the view model: `viewModel.name`. Its own members come first, so those
/// of a view state that are called `viewState`, `viewStates`, `bindings` or `hostStatus` are read as
/// `viewModel.viewState.bindings`.
@dynamicMemberLookup
@MainActor
public final class ViewModel<F: FeatureTypes>: Observable {
    public typealias Action = F.Action
    public typealias DomainState = F.DomainState
    public typealias ViewState = F.ViewState

    nonisolated let engine: any ViewModelEngine<Action, ViewState>
    private let areViewStatesEqual: @Sendable (ViewState, ViewState) -> Bool
    private nonisolated let registrar = ObservationRegistrar()
    // Kept, because making the key path of a generic type costs more than everything else in a turn.
    private let viewStateKeyPath = \ViewModel.viewState
    private let partsKeyPath = \ViewModel.parts
    private let hostStatusKeyPath = \ViewModel.hostStatus
    /// Nil where the view state is observed as a whole.
    private let observableState: ObservableStateType<ViewState>?
    private var storedHostStatus: HostStatus
    // These two and the engine's presenter are not checked for overlapping accesses: `latticectl bench local`, sends,
    // is 0.025 µs slower otherwise. Each is read and written in one step, which nothing can overlap.
    @exclusivity(unchecked) private var storedViewState: ViewState
    /// Nil unless somebody reads ``viewStates``.
    @exclusivity(unchecked) private var feed: ViewStateFeed<ViewState>?

    /// A view model over any engine.
    /// - Parameters:
    ///   - viewState: what is shown until the engine tells more.
    ///   - areViewStatesEqual: whether observers need not hear of a change. Not asked of an ``ObservableState``.
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

    /// What is to be shown.
    ///
    /// Observers of an ``ObservableState`` as a whole hear only when it becomes another one altogether: another case of
    /// an enum, or a value that was made anew. ``viewStates`` has every change.
    public var viewState: ViewState {
        registrar.access(self, keyPath: viewStateKeyPath)
        return storedViewState
    }

    /// The view state for who reads a part of it: of an ``ObservableState`` parts are observed by themselves, so those
    /// who read one need not hear when it was made anew.
    private var parts: ViewState {
        registrar.access(self, keyPath: observableState == nil ? viewStateKeyPath : partsKeyPath)
        return storedViewState
    }

    /// The present view state, then each change, for `for await`.
    public var viewStates: ViewStates<ViewState> {
        let feed = feed ?? ViewStateFeed(storedViewState)
        self.feed = feed
        return ViewStates(feed: feed)
    }

    /// Where the interactor lives, and how it is doing there.
    public var hostStatus: HostStatus {
        registrar.access(self, keyPath: hostStatusKeyPath)
        return storedHostStatus
    }

    /// A property of the view state, unless the view model has a member of that name.
    public subscript<Value>(dynamicMember keyPath: KeyPath<ViewState, Value>) -> Value {
        parts[keyPath: keyPath]
    }

    /// Finds a mistake that is often made, so that the compiler can say what to write.
    @_disfavoredOverload
    public subscript<Value>(dynamicMember keyPath: KeyPath<_ViewModelMistakes<Action>, Value>) -> Value {
        _ViewModelMistakes<Action>()[keyPath: keyPath]
    }

    /// Sends an event. In this process, ``viewState`` is up to date when this returns; a call from inside a turn, for
    /// instance from an observer, is handled behind that turn.
    /// - Complexity: In this process that of the interactor and the reducer, and to compare what is shown O(*n*), where
    ///   *n* is the size of the view state; parts that share their storage with what was shown are not looked into.
    @discardableResult
    public func sendViewEvent(_ event: Action) -> EventTask {
        engine.send(event)
    }

    /// Sends an event that is of use until a moment, wherever its interactor lives.
    ///
    /// One that is not applied by then never is, and ends ``EventOutcome/rejected(_:)`` with
    /// ``EventRejection/deadlinePassed``. One that is applied by then, and whose effects run, is cancelled at that
    /// moment, and ends ``EventOutcome/cancelled``; also if this process is gone. To another process the time that is
    /// left travels, in milliseconds and rounded up, and goes on there when the event is read: behind a worker's turn
    /// that takes long, or while it stands still, a deadline is as late as that takes. Effects see it as
    /// ``Deadline/current``.
    ///
    /// ```swift
    /// let task = viewModel.sendViewEvent(.search("swift"), deadline: .now + .seconds(2))
    /// if await task.finish() == .rejected(.deadlinePassed) { … }
    /// ```
    /// - Parameter deadline: The clock goes on while the machine sleeps.
    @discardableResult
    public func sendViewEvent(_ event: Action, deadline: ContinuousClock.Instant) -> EventTask {
        guard deadline > .now else { return EventTask(ended: .rejected(.deadlinePassed)) }
        return engine.send(event, deadline: deadline)
    }
}

extension ViewModel: ViewModelPresenter {
    package func update(keepsIdentity: Bool, _ change: (inout ViewState) -> Void) {
        var next = storedViewState
        change(&next)
        if let observableState { return show(next, observableState, keepsIdentity: keepsIdentity) }
        guard !areViewStatesEqual(storedViewState, next) else {
            // Nobody is to hear of it, and yet it may be written in other bytes: a patch of it changes those.
            storedViewState = next
            return
        }
        registrar.withMutation(of: self, keyPath: viewStateKeyPath) { storedViewState = next }
        publish()
    }

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
            // Also if nothing was noted: properties may have changed that nobody is to hear of.
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
        // Nobody reads any more.
        if isKnownUniquelyReferenced(&feed) {
            feed = nil
            return
        }
        feed?.publish(storedViewState)
    }
}
