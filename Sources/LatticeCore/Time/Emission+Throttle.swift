extension Emission {
    /// Runs at most one of the effects within a period.
    ///
    /// Covered are `perform` and `run`, those inside merges and appends too; all of them share `throttler`. Their
    /// places are fixed when the runtime starts them. A skipped effect ends at once, without an action; one that waits
    /// for the end of the period ends as soon as another takes its place. Everything else passes unchanged.
    ///
    /// Keep the throttler as long as the feature. ``Interactors/Throttle`` does that by itself.
    /// - Complexity: O(*n*), where *n* is the number of emissions that this one is made of.
    public func throttle<C: Clock>(using throttler: Throttler<C, Action?>) -> Self where C.Duration: Sendable {
        throttled(by: throttler.calls, key: Throttler<C, Action?>.key)
    }

    func throttled<C: Clock>(by calls: ThrottleCalls<C>, key: EffectID) -> Self {
        mapEffects { effect in
            guard let shape = effect.effectShape, let begin = effect.anyStarter else { return nil }
            return Self(shape) { send, threads in
                let call = calls.begin(key, waitsForEnd: true) { await Result.catching(begin(send, threads)) }
                return {
                    switch await call() {
                    case .executed(let result): try result.get()
                    case .skipped: nil
                    }
                }
            }
        }
    }
}
