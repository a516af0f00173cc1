extension Interactors {
    /// An interactor whose actions are logged. See `Interactor.logActions(_:clock:to:)`.
    public struct LogActions<Base: Interactor & Sendable>: Interactor, Sendable {
        private let base: Base
        private let name: String
        private let measure: @Sendable (() -> Void) -> Duration
        private let areStatesEqual: (@Sendable (Base.DomainState, Base.DomainState) -> Bool)?
        private let sink: @Sendable (ActionLogEntry<Base.Action>) -> Void

        init<C: Clock>(
            _ base: Base,
            name: String?,
            clock: C,
            areStatesEqual: (@Sendable (Base.DomainState, Base.DomainState) -> Bool)?,
            sink: @escaping @Sendable (ActionLogEntry<Base.Action>) -> Void
        ) where C.Duration == Duration {
            self.base = base
            self.name = name ?? String(describing: Base.self)
            self.areStatesEqual = areStatesEqual
            self.sink = sink
            measure = { body in clock.measure(body) }
        }

        /// Forwards the action to the base interactor, and then logs it.
        public func interact(state: inout Base.DomainState, action: Base.Action) -> Emission<Base.Action> {
            log(_ResolvedInteractor(calling: base), &state, action)
        }

        /// Returns a resolved interactor that logs each action after the base interactor has handled it.
        public func _resolve() -> _ResolvedInteractor<Base.DomainState, Base.Action> {
            let base = base._resolve()
            return _ResolvedInteractor(sweep: base.sweep, retains: base.retains) { state, action in
                log(base, &state, action)
            }
        }

        private func log(
            _ base: _ResolvedInteractor<Base.DomainState, Base.Action>,
            _ state: inout Base.DomainState,
            _ action: Base.Action
        ) -> Emission<Base.Action> {
            let before = areStatesEqual == nil ? nil : state
            var emission = Emission<Base.Action>.none
            let duration = measure { emission = base.handler(&state, action) }
            var changedState: Bool?
            if let before, let areStatesEqual { changedState = !areStatesEqual(before, state) }
            sink(
                ActionLogEntry(
                    name: name,
                    action: action,
                    duration: duration,
                    changedState: changedState,
                    hasEffects: emission.hasEffects
                )
            )
            return emission
        }
    }
}

extension Interactor where Self: Sendable {
    /// Logs each action after it has been handled.
    ///
    /// ```swift
    /// var body: some InteractorOf<Self> {
    ///     SearchInteractor()
    ///         .logActions { entry in logger.debug("\(entry)") }
    /// }
    /// ```
    ///
    /// The log contains the actions of everything before this modifier. Actions are logged in the order in which their
    /// handling ends.
    /// - Parameters:
    ///   - name: The name of the interactor in the entries. The default is its type.
    ///   - clock: The clock that measures the time.
    ///   - sink: Receives the entries one after another, on the isolation of the interactor. It must not block. By
    ///     default, entries are printed.
    public func logActions<C: Clock>(
        _ name: String? = nil,
        clock: C = ContinuousClock(),
        to sink: @escaping @Sendable (ActionLogEntry<Action>) -> Void = { print($0) }
    ) -> Interactors.LogActions<Self> where C.Duration == Duration {
        Interactors.LogActions(self, name: name, clock: clock, areStatesEqual: nil, sink: sink)
    }
}

extension Interactor where Self: Sendable, DomainState: Equatable {
    /// Logs each action after it has been handled, and whether it changed the state.
    ///
    /// For the comparison it keeps a copy of the state during each action, so the first change to a large array copies
    /// that array.
    /// - Parameters:
    ///   - name: The name of the interactor in the entries. The default is its type.
    ///   - clock: The clock that measures the time.
    ///   - sink: Receives the entries one after another, on the isolation of the interactor. It must not block. By
    ///     default, entries are printed.
    public func logActions<C: Clock>(
        _ name: String? = nil,
        clock: C = ContinuousClock(),
        to sink: @escaping @Sendable (ActionLogEntry<Action>) -> Void = { print($0) }
    ) -> Interactors.LogActions<Self> where C.Duration == Duration {
        Interactors.LogActions(self, name: name, clock: clock, areStatesEqual: { $0 == $1 }, sink: sink)
    }
}
