extension Interactors {
    /// An interactor whose actions are logged. See ``Interactor/logActions(_:clock:to:)``.
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

        public func interact(state: inout Base.DomainState, action: Base.Action) -> Emission<Base.Action> {
            log(_ResolvedInteractor(calling: base), &state, action)
        }

        public func _resolve() -> _ResolvedInteractor<Base.DomainState, Base.Action> {
            let base = base._resolve()
            return _ResolvedInteractor(sweep: base.sweep) { state, action in log(base, &state, action) }
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
