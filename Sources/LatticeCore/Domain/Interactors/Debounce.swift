extension Interactors {
    /// Debounces the effects of an interactor: of several that begin shortly after one another only the last one runs.
    ///
    /// ```swift
    /// var body: some InteractorOf<Self> {
    ///     DebounceInteractor(for: .milliseconds(300)) {
    ///         SearchInteractor()
    ///     }
    /// }
    /// ```
    ///
    /// Actions are not held back: each changes the state at once. What it does to effects says
    /// ``Emission/debounce(using:)``. All effects of the child share one period, unless a `key` tells them apart.
    ///
    /// Each runtime has calls of its own, also where several run the same value.
    public struct Debounce<C: Clock, Child: Interactor & Sendable>: Interactor, Sendable where C.Duration: Sendable {
        private let duration: C.Duration
        private let clock: C
        private let key: @Sendable (Child.Action) -> EffectID
        private let child: Child
        /// Of direct calls, without a runtime.
        private let calls: DebounceCalls<C>

        /// - Parameters:
        ///   - duration: how long no other effect may begin.
        ///   - clock: what tells the time; by default the clock of the system.
        ///   - child: the interactor whose effects are debounced.
        public init(for duration: C.Duration, clock: C = ContinuousClock(), child: () -> Child) {
            self.init(for: duration, clock: clock, key: { _ in 0 }, child: child)
        }

        /// The same for several interactors. The form above is preferred, since it knows the child's types.
        @_disfavoredOverload
        public init<State, Action>(
            for duration: C.Duration,
            clock: C = ContinuousClock(),
            @InteractorBuilder<State, Action> child: () -> Child
        ) where State == Child.DomainState, Action == Child.Action {
            self.init(for: duration, clock: clock, key: { _ in 0 }, child: child)
        }

        /// - Parameters:
        ///   - duration: how long no other effect with the same key may begin.
        ///   - clock: what tells the time; by default the clock of the system.
        ///   - key: what an action's effects are counted under. Effects with different keys leave each other alone.
        ///   - child: the interactors whose effects are debounced.
        public init<State, Action, Key: Hashable & Sendable>(
            for duration: C.Duration,
            clock: C = ContinuousClock(),
            key: @escaping @Sendable (Action) -> Key,
            @InteractorBuilder<State, Action> child: () -> Child
        ) where State == Child.DomainState, Action == Child.Action {
            self.duration = duration
            self.clock = clock
            self.key = { EffectID(key($0)) }
            self.child = child()
            calls = DebounceCalls(for: duration, clock: clock)
        }

        public func interact(state: inout Child.DomainState, action: Child.Action) -> Emission<Child.Action> {
            child.interact(state: &state, action: action).debounced(by: calls, key: key(action))
        }

        public func _resolve() -> _ResolvedInteractor<Child.DomainState, Child.Action> {
            let child = child._resolve()
            let calls = DebounceCalls(for: duration, clock: clock)
            return child.mappingEmissions(isInUse: { calls.count > 0 }) { [key] emission, action in
                emission.debounced(by: calls, key: key(action))
            }
        }
    }
}

/// The name of ``Interactors/Debounce`` inside a `body`.
public typealias DebounceInteractor<C: Clock & Sendable, Child: Interactor & Sendable> = Interactors.Debounce<C, Child>
where C.Duration: Sendable
