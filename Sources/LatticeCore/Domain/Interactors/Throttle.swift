extension Interactors {
    /// Throttles the effects of an interactor: of those that begin within one period at most one runs, or two, the
    /// first and the last, see ``ThrottleEdges``.
    ///
    /// ```swift
    /// var body: some InteractorOf<Self> {
    ///     ThrottleInteractor(for: .seconds(1), edges: .leading) {
    ///         RefreshInteractor()
    ///     }
    /// }
    /// ```
    ///
    /// Actions are not held back: each changes the state at once. What it does to effects says
    /// ``Emission/throttle(using:)``. All effects of the child share one period, unless a `key` tells them apart.
    ///
    /// Each runtime has periods of its own, also where several run the same value.
    public struct Throttle<C: Clock, Child: Interactor & Sendable>: Interactor, Sendable where C.Duration: Sendable {
        private let duration: C.Duration
        private let clock: C
        private let edges: ThrottleEdges
        private let key: @Sendable (Child.Action) -> EffectID
        private let child: Child
        /// Of direct calls, without a runtime.
        private let calls: ThrottleCalls<C>

        /// - Parameters:
        ///   - duration: how long a period is.
        ///   - clock: what tells the time; by default the clock of the system.
        ///   - edges: which of the effects within one period run.
        ///   - child: the interactor whose effects are throttled.
        public init(
            for duration: C.Duration,
            clock: C = ContinuousClock(),
            edges: ThrottleEdges = .both,
            child: () -> Child
        ) {
            self.init(for: duration, clock: clock, edges: edges, key: { _ in 0 }, child: child)
        }

        /// The same for several interactors. The form above is preferred, since it knows the child's types.
        @_disfavoredOverload
        public init<State, Action>(
            for duration: C.Duration,
            clock: C = ContinuousClock(),
            edges: ThrottleEdges = .both,
            @InteractorBuilder<State, Action> child: () -> Child
        ) where State == Child.DomainState, Action == Child.Action {
            self.init(for: duration, clock: clock, edges: edges, key: { _ in 0 }, child: child)
        }

        /// - Parameters:
        ///   - duration: how long a period is.
        ///   - clock: what tells the time; by default the clock of the system.
        ///   - edges: which of the effects within one period run.
        ///   - key: what an action's effects are counted under. Effects with different keys leave each other alone.
        ///   - child: the interactors whose effects are throttled.
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

        public func interact(state: inout Child.DomainState, action: Child.Action) -> Emission<Child.Action> {
            child.interact(state: &state, action: action).throttled(by: calls, key: key(action))
        }

        public func _resolve() -> _ResolvedInteractor<Child.DomainState, Child.Action> {
            let calls = ThrottleCalls(for: duration, clock: clock, edges: edges)
            return child._resolve().mappingEmissions(isInUse: { calls.isInPeriod }) { [key] emission, action in
                emission.throttled(by: calls, key: key(action))
            }
        }
    }
}

/// The name of ``Interactors/Throttle`` inside a `body`.
public typealias ThrottleInteractor<C: Clock & Sendable, Child: Interactor & Sendable> = Interactors.Throttle<C, Child>
where C.Duration: Sendable
