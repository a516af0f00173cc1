extension Interactors {
    /// Debounces the effects of an interactor. Of several effects that start shortly after one another, only the last
    /// runs.
    ///
    /// ```swift
    /// var body: some InteractorOf<Self> {
    ///     DebounceInteractor(for: .milliseconds(300)) {
    ///         SearchInteractor()
    ///     }
    /// }
    /// ```
    ///
    /// Actions are not delayed: each one changes the state at once. The effects are debounced as in
    /// ``Emission/debounce(using:)``. All effects of the child share one period, unless a `key` separates them.
    ///
    /// Each runtime has its own periods, even if several runtimes use the same value.
    public struct Debounce<C: Clock, Child: Interactor & Sendable>: Interactor, Sendable where C.Duration: Sendable {
        private let duration: C.Duration
        private let clock: C
        private let key: @Sendable (Child.Action) -> EffectID
        private let child: Child
        /// The debounced calls of an interactor that is called directly, without a runtime.
        private let calls: DebounceCalls<C>

        /// Creates a debounced interactor whose effects share one period.
        ///
        /// - Parameters:
        ///   - duration: The time without another effect after which an effect runs.
        ///   - clock: The clock that measures the time. The default is the system's continuous clock.
        ///   - child: The interactor whose effects are debounced.
        public init(for duration: C.Duration, clock: C = ContinuousClock(), child: () -> Child) {
            self.init(for: duration, clock: clock, key: { _ in 0 }, child: child)
        }

        /// Creates a debounced interactor of several interactors. The other form is preferred because it knows the
        /// types of the child.
        @_disfavoredOverload
        public init<State, Action>(
            for duration: C.Duration,
            clock: C = ContinuousClock(),
            @InteractorBuilder<State, Action> child: () -> Child
        ) where State == Child.DomainState, Action == Child.Action {
            self.init(for: duration, clock: clock, key: { _ in 0 }, child: child)
        }

        /// Creates a debounced interactor with a separate period for each key.
        ///
        /// - Parameters:
        ///   - duration: The time without another effect of the same key after which an effect runs.
        ///   - clock: The clock that measures the time. The default is the system's continuous clock.
        ///   - key: Returns the key of an action's effects. Effects with different keys do not affect one another.
        ///   - child: The interactors whose effects are debounced.
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

        /// Forwards the action to the child at once, and debounces the effects that the child returns.
        public func interact(state: inout Child.DomainState, action: Child.Action) -> Emission<Child.Action> {
            child.interact(state: &state, action: action).debounced(by: calls, key: key(action))
        }

        /// Returns a resolved interactor with delayed effects of its own, so that runtimes do not affect one another.
        public func _resolve() -> _ResolvedInteractor<Child.DomainState, Child.Action> {
            let child = child._resolve()
            let calls = DebounceCalls(for: duration, clock: clock)
            return child.mappingEmissions(isInUse: { calls.count > 0 }) { [key] emission, action in
                emission.debounced(by: calls, key: key(action))
            }
        }
    }
}

/// A shorter name of ``Interactors/Debounce`` for use in a `body`.
public typealias DebounceInteractor<C: Clock & Sendable, Child: Interactor & Sendable> = Interactors.Debounce<C, Child>
where C.Duration: Sendable
