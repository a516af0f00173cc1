extension Interactors {
    /// Throttles the effects of an interactor. If several effects start within one period, at most the first and the
    /// last run. ``ThrottleEdges`` selects which.
    ///
    /// ```swift
    /// var body: some InteractorOf<Self> {
    ///     ThrottleInteractor(for: .seconds(1), edges: .leading) {
    ///         RefreshInteractor()
    ///     }
    /// }
    /// ```
    ///
    /// Actions are not delayed: each one changes the state at once. The effects are throttled as in
    /// ``Emission/throttle(using:)``. All effects of the child share one period, unless a `key` separates them.
    ///
    /// Each runtime has its own periods, even if several runtimes use the same value.
    public struct Throttle<C: Clock, Child: Interactor & Sendable>: Interactor, Sendable where C.Duration: Sendable {
        private let duration: C.Duration
        private let clock: C
        private let edges: ThrottleEdges
        private let key: @Sendable (Child.Action) -> EffectID
        private let child: Child
        /// The throttled calls of an interactor that is called directly, without a runtime.
        private let calls: ThrottleCalls<C>

        /// Creates a throttled interactor whose effects share one period.
        ///
        /// - Parameters:
        ///   - duration: The length of a period.
        ///   - clock: The clock that measures the time. The default is the system's continuous clock.
        ///   - edges: The effects of a period that run.
        ///   - child: The interactor whose effects are throttled.
        public init(
            for duration: C.Duration,
            clock: C = ContinuousClock(),
            edges: ThrottleEdges = .both,
            child: () -> Child
        ) {
            self.init(for: duration, clock: clock, edges: edges, key: { _ in 0 }, child: child)
        }

        /// Creates a throttled interactor of several interactors. The other form is preferred because it knows the
        /// types of the child.
        @_disfavoredOverload
        public init<State, Action>(
            for duration: C.Duration,
            clock: C = ContinuousClock(),
            edges: ThrottleEdges = .both,
            @InteractorBuilder<State, Action> child: () -> Child
        ) where State == Child.DomainState, Action == Child.Action {
            self.init(for: duration, clock: clock, edges: edges, key: { _ in 0 }, child: child)
        }

        /// Creates a throttled interactor with a separate period for each key.
        ///
        /// - Parameters:
        ///   - duration: The length of a period.
        ///   - clock: The clock that measures the time. The default is the system's continuous clock.
        ///   - edges: The effects of a period that run.
        ///   - key: Returns the key of an action's effects. Effects with different keys do not affect one another.
        ///   - child: The interactors whose effects are throttled.
        public init<State, Action, Key: Hashable & Sendable>(
            for duration: C.Duration,
            clock: C = ContinuousClock(),
            edges: ThrottleEdges = .both,
            key: @escaping @Sendable (Action) -> Key,
            @InteractorBuilder<State, Action> child: () -> Child
        ) where State == Child.DomainState, Action == Child.Action {
            self.duration = duration
            self.clock = clock
            self.edges = edges
            self.key = { EffectID(key($0)) }
            self.child = child()
            calls = ThrottleCalls(for: duration, clock: clock, edges: edges)
        }

        /// Forwards the action to the child at once, and throttles the effects that the child returns.
        public func interact(state: inout Child.DomainState, action: Child.Action) -> Emission<Child.Action> {
            child.interact(state: &state, action: action).throttled(by: calls, key: key(action))
        }

        /// Returns a resolved interactor with periods of its own, so that runtimes do not affect one another.
        public func _resolve() -> _ResolvedInteractor<Child.DomainState, Child.Action> {
            let calls = ThrottleCalls(for: duration, clock: clock, edges: edges)
            return child._resolve().mappingEmissions(isInUse: { calls.isInPeriod }) { [key] emission, action in
                emission.throttled(by: calls, key: key(action))
            }
        }
    }
}

/// A shorter name of ``Interactors/Throttle`` for use in a `body`.
public typealias ThrottleInteractor<C: Clock & Sendable, Child: Interactor & Sendable> = Interactors.Throttle<C, Child>
where C.Duration: Sendable
