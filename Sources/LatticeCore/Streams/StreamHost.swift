/// An actor that runs an interactor for a stream of actions.
actor StreamHost {
    /// Handles all actions, and waits until their effects have ended.
    ///
    /// If the task is cancelled, the method returns at once and cancels the effects.
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

    /// Sends all actions of a stream.
    /// - Returns: The events that have not ended, and possibly some that have.
    private func send<State, Action>(
        _ actions: AsyncStream<Action>,
        to runtime: FeatureRuntime<State, Action>
    ) async -> [EventTask] {
        var running: [EventTask] = []
        var limit = StreamLimits.rememberedEvents
        for await action in actions {
            // A cancelled stream still returns its buffered elements.
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

/// The limits that bound the memory of the streams of ``AsyncStream/interact(with:initialState:bufferingPolicy:)``.
@usableFromInline
enum StreamLimits {
    /// The number of states that wait for a reader. A slower reader misses the oldest ones.
    @usableFromInline static let unreadStates = 1_000
    /// The number of events that are stored although they may have ended. Checking them for each action would cost
    /// more.
    static let rememberedEvents = 64
}
