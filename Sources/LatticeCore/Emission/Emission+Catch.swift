extension Emission {
    /// Converts the errors of effects into actions.
    ///
    /// The handler applies to every `perform` and `run` that can throw, including those in merges and appends. If the
    /// error of an append's step is caught, the steps after it are not skipped. `handler` is not called when the effect
    /// itself is cancelled.
    /// - Parameter handler: Returns the action that replaces the result of the effect, or nil for no action.
    /// - Complexity: O(*n*), where *n* is the number of emissions that this emission consists of.
    public func `catch`(_ handler: @escaping @Sendable (any Error) async -> Action?) -> Self {
        mapEffects { effect in
            guard let shape = effect.effectShape, shape != .perform, let begin = effect.anyStarter else { return nil }
            return Self(shape, startCounts: effect.starter != nil) { send, threads in
                let work = begin(send, threads)
                return {
                    do {
                        return try await work()
                    } catch {
                        if error is CancellationError, Task.isCancelled { throw error }
                        return await handler(error)
                    }
                }
            }
        }
    }
}
