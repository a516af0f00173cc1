import LatticeConcurrency

extension Emission {
    /// Runs effects that throw again, after a delay.
    ///
    /// ```swift
    /// .perform { .loaded(try await api.load()) }
    ///     .timeout(.seconds(5))
    ///     .retry(.exponential(maximumDelay: .seconds(10), attempts: 4))
    ///     .catch { .loadingFailed("\($0)") }
    /// ```
    ///
    /// The modifier applies to every `perform` and `run` that can throw, including those in merges and appends, and to
    /// each separately. If the last attempt throws, the effect throws. Actions that a `run` has sent before it threw
    /// stay sent. Cancelling the effect ends the delay as well as the work. A `CancellationError` does not lead to
    /// another attempt.
    /// - Parameters:
    ///   - backoff: The number of attempts and the delays between them.
    ///   - clock: The clock that measures the delays.
    ///   - seed: A seed that gives every effect the same jitter, for tests. If it is nil, the system's generator is
    ///     used.
    ///   - isWorthRetrying: Returns whether another attempt may succeed after an error. By default, every error is
    ///     retried.
    /// - Complexity: O(*n*), where *n* is the number of emissions that this emission consists of.
    public func retry<C: Clock>(
        _ backoff: Backoff,
        clock: C = ContinuousClock(),
        seed: UInt64? = nil,
        if isWorthRetrying: @escaping @Sendable (any Error) -> Bool = { _ in true }
    ) -> Self where C.Duration == Duration {
        mapEffects { effect in
            guard let shape = effect.effectShape, shape != .perform, let begin = effect.anyStarter else { return nil }
            return Self(shape, startCounts: effect.starter != nil) { send, threads in
                // The first attempt begins with the effect, because the effect may contain a debounce or a timeout.
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
