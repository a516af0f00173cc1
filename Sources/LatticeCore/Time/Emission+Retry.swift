import LatticeConcurrency

extension Emission {
    /// Runs effects that throw again, after a wait.
    ///
    /// ```swift
    /// .perform { .loaded(try await api.load()) }
    ///     .timeout(.seconds(5))
    ///     .retry(.exponential(limit: .seconds(10), attempts: 4))
    ///     .catch { .loadingFailed("\($0)") }
    /// ```
    ///
    /// Covered are `perform` and `run` that may throw, each for itself, those inside merges and appends too. When the
    /// last attempt throws, so does the effect. What a `run` has sent before it threw stays sent. Cancelling ends the
    /// wait as it ends the work; a `CancellationError` is no reason to try again.
    /// - Parameters:
    ///   - backoff: how often to try, and how long to wait in between.
    ///   - clock: what tells the time.
    ///   - seed: gives every effect the same jitter, for tests; nil takes it from the system.
    ///   - isWorthRetrying: says of an error whether another attempt may help; the default says so of all.
    /// - Complexity: O(*n*), where *n* is the number of emissions that this one is made of.
    public func retry<C: Clock>(
        _ backoff: Backoff,
        clock: C = ContinuousClock(),
        seed: UInt64? = nil,
        if isWorthRetrying: @escaping @Sendable (any Error) -> Bool = { _ in true }
    ) -> Self where C.Duration == Duration {
        mapEffects { effect in
            guard let shape = effect.effectShape, shape != .perform, let begin = effect.anyStarter else { return nil }
            return Self(shape, startCounts: effect.starter != nil) { send, threads in
                // The first attempt begins with the effect, for what is debounced or limited inside.
                let first = begin(send, threads)
                return {
                    var generator: any RandomNumberGenerator =
                        if let seed { SeededGenerator(seed: seed) } else { SystemRandomNumberGenerator() }
                    var work = first
                    var attempt = 1
                    while true {
                        do {
                            return try await work()
                        } catch {
                            guard !(error is CancellationError), !Task.isCancelled, isWorthRetrying(error),
                                let delay = backoff.delay(after: attempt, using: &generator)
                            else { throw error }
                            try await clock.wait(for: delay)
                        }
                        attempt += 1
                        work = begin(send, threads)
                    }
                }
            }
        }
    }
}
