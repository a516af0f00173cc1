/// Runs an interactor for a stream of actions.
actor StreamHost {
    /// Handles all actions, waits for the effects that they asked for, and ends.
    ///
    /// When its task is cancelled it ends at once, and cancels the effects.
    func run<I: Interactor & Sendable>(
        _ interactor: I,
        _ actions: AsyncStream<I.Action>,
        initialState: I.DomainState,
        onTurn: @escaping @Sendable (I.DomainState) -> Void
    ) async {
        let runtime = FeatureRuntime(
            initialState: initialState,
            interactor: interactor,
            isolation: self
        )
        runtime.onTurn = { [weak runtime] _ in
            if let runtime { onTurn(runtime.state) }
        }
        onTurn(initialState)
        for event in await send(actions, to: runtime) { await event.finish(cancellationGrace: .zero) }
        runtime.close()
    }

    /// - Returns: the events that have not ended, and perhaps some that have.
    private func send<State, Action>(
        _ actions: AsyncStream<Action>,
        to runtime: FeatureRuntime<State, Action>
    ) async -> [EventTask] {
        var running: [EventTask] = []
        var limit = StreamLimits.rememberedEvents
        for await action in actions {
            // A cancelled stream still hands out what it has buffered.
            guard !Task.isCancelled else { break }
            let event = runtime.send(action)
            if event.outcome == nil { running.append(event) }
            if running.count > limit {
                running.removeAll { $0.outcome != nil }
                limit = max(StreamLimits.rememberedEvents, 2 * running.count)
            }
        }
        return running
    }
}

/// What keeps the state streams of ``AsyncStream/interact(with:initialState:bufferingPolicy:)`` small.
@usableFromInline
enum StreamLimits {
    /// States that wait for a reader. Who is slower than that misses the oldest ones.
    @usableFromInline static let unreadStates = 1_000
    /// Events that may have ended and are still remembered. Looking through them for each action would cost more.
    static let rememberedEvents = 64
}
