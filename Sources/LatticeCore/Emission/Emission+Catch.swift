extension Emission {
    /// Turns the errors of effects into actions.
    ///
    /// Covered are `perform` and `run` that may throw, those inside merges and appends too; a step of an append whose
    /// error is caught does not skip the steps behind it. `handler` is not asked about the cancellation of the effect
    /// itself.
    /// - Parameter handler: gives the action that takes the place of the result, or nil for none.
    /// - Complexity: O(*n*), where *n* is the number of emissions that this one is made of.
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
