import LatticeConcurrency

extension AsyncStream where Element: Sendable {
    /// The states of an interactor that handles the elements of this stream as its actions.
    ///
    /// ```swift
    /// for await state in actions.interact(with: CounterInteractor(), initialState: CounterState()) {
    ///     print(state)
    /// }
    /// ```
    ///
    /// The first state is the initial one; then comes the state after each turn, those of actions that effects emitted
    /// too. It ends when this stream has ended and all effects have. Whoever stops reading, by cancelling or by
    /// dropping it, ends everything: no further action is handled, and effects are cancelled.
    ///
    /// The interactor runs on an actor of its own, not on that of the caller. A new reader needs a new call.
    /// - Parameters:
    ///   - interactor: what handles the actions.
    ///   - initialState: the state at the beginning.
    ///   - bufferingPolicy: what becomes of states that are not read in time. The default keeps the newest 1,000.
    public func interact<I: Interactor & Sendable>(
        with interactor: I,
        initialState: I.DomainState,
        bufferingPolicy: AsyncStream<I.DomainState>.Continuation.BufferingPolicy = .bufferingNewest(
            StreamLimits.unreadStates
        )
    ) -> AsyncStream<I.DomainState> where I.Action == Element {
        states(of: interactor, from: initialState, bufferingPolicy) { $0.yield($1) }
    }

    /// The states of an interactor that handles the elements of this stream as its actions. A state that equals the one
    /// before it is left out.
    ///
    /// - Parameters:
    ///   - interactor: what handles the actions.
    ///   - initialState: the state at the beginning.
    ///   - bufferingPolicy: what becomes of states that are not read in time. The default keeps the newest 1,000.
    public func interact<I: Interactor & Sendable>(
        with interactor: I,
        initialState: I.DomainState,
        bufferingPolicy: AsyncStream<I.DomainState>.Continuation.BufferingPolicy = .bufferingNewest(
            StreamLimits.unreadStates
        )
    ) -> AsyncStream<I.DomainState> where I.Action == Element, I.DomainState: Equatable {
        let last = Locked<I.DomainState?>(nil)
        return states(of: interactor, from: initialState, bufferingPolicy) { continuation, state in
            let isNew = last.withLock { last in
                defer { last = state }
                return last != state
            }
            if isNew { continuation.yield(state) }
        }
    }

    private func states<I: Interactor & Sendable>(
        of interactor: I,
        from initialState: I.DomainState,
        _ bufferingPolicy: AsyncStream<I.DomainState>.Continuation.BufferingPolicy,
        yield: @escaping @Sendable (AsyncStream<I.DomainState>.Continuation, I.DomainState) -> Void
    ) -> AsyncStream<I.DomainState> where I.Action == Element {
        AsyncStream<I.DomainState>(bufferingPolicy: bufferingPolicy) { continuation in
            let task = Task(executorPreference: ThreadPool.shared) {
                await StreamHost().run(interactor, self, initialState: initialState) { yield(continuation, $0) }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
