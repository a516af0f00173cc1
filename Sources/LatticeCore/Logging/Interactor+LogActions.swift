extension Interactor where Self: Sendable {
    /// Logs each action when it has been handled.
    ///
    /// ```swift
    /// var body: some InteractorOf<Self> {
    ///     SearchInteractor()
    ///         .logActions { entry in logger.debug("\(entry)") }
    /// }
    /// ```
    ///
    /// Covered is what stands before it in a chain of modifiers. Actions are logged in the order in which they end.
    /// - Parameters:
    ///   - name: what the entries call this interactor, by default its type.
    ///   - clock: what tells the time.
    ///   - sink: gets the entries, one after the other, on whatever isolation the interactor runs; must not block. The
    ///     default prints them.
    public func logActions<C: Clock>(
        _ name: String? = nil,
        clock: C = ContinuousClock(),
        to sink: @escaping @Sendable (ActionLogEntry<Action>) -> Void = { print($0) }
    ) -> Interactors.LogActions<Self> where C.Duration == Duration {
        Interactors.LogActions(self, name: name, clock: clock, areStatesEqual: nil, sink: sink)
    }
}

extension Interactor where Self: Sendable, DomainState: Equatable {
    /// Logs each action when it has been handled, and whether it changed the state.
    ///
    /// To compare, it keeps a copy of the state for each action, so the first change to a large array in it copies that
    /// array.
    /// - Parameters:
    ///   - name: what the entries call this interactor, by default its type.
    ///   - clock: what tells the time.
    ///   - sink: gets the entries, one after the other, on whatever isolation the interactor runs; must not block. The
    ///     default prints them.
    public func logActions<C: Clock>(
        _ name: String? = nil,
        clock: C = ContinuousClock(),
        to sink: @escaping @Sendable (ActionLogEntry<Action>) -> Void = { print($0) }
    ) -> Interactors.LogActions<Self> where C.Duration == Duration {
        Interactors.LogActions(self, name: name, clock: clock, areStatesEqual: { $0 == $1 }, sink: sink)
    }
}
