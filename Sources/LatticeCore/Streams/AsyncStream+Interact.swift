import LatticeConcurrency

extension AsyncStream where Element: Sendable {
    /// Returns the states of an interactor that handles the elements of this stream as its actions.
    ///
    /// ```swift
    /// for await state in actions.interact(with: CounterInteractor(), initialState: CounterState()) {
    ///     print(state)
    /// }
    /// ```
    ///
    /// The first element is the initial state. The state after each turn follows, including the turns of actions that
    /// effects emitted. The stream of states ends when this stream and all effects have ended. If you stop reading, by
    /// cancelling the task or by releasing the stream, no further action is handled and the effects are cancelled.
    ///
    /// The interactor runs on an actor of its own, not on the caller's actor. Each reader needs a call of its own.
    /// - Parameters:
    ///   - interactor: The interactor that handles the actions.
    ///   - initialState: The initial state.
    ///   - bufferingPolicy: The handling of states that are not read in time. By default the newest 1,000 are kept.
    public func interact<I: Interactor & Sendable>(
        with interactor: I,
        initialState: I.DomainState,
        bufferingPolicy: AsyncStream<I.DomainState>.Continuation.BufferingPolicy = .bufferingNewest(
            StreamLimits.unreadStates
        )
    ) -> AsyncStream<I.DomainState> where I.Action == Element {
        states(of: interactor, from: initialState, bufferingPolicy) { $0.yield($1) }
    }

    /// Returns the states of an interactor that handles the elements of this stream as its actions. A state that is
    /// equal to the previous one is omitted.
    ///
    /// - Parameters:
    ///   - interactor: The interactor that handles the actions.
    ///   - initialState: The initial state.
    ///   - bufferingPolicy: The handling of states that are not read in time. By default the newest 1,000 are kept.
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
