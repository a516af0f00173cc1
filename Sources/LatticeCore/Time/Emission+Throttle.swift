extension Emission {
    /// Throttles effects: at most one of the effects within a period runs at its start, and one at its end.
    ///
    /// The throttler applies to every `perform` and `run`, including those in merges and appends, and they share it.
    /// The order of effects is determined when the runtime starts them. A skipped effect ends at once, without an
    /// action. An effect that waits for the end of the period ends as soon as another one replaces it. All other
    /// emissions are unchanged.
    ///
    /// Keep the throttler as long as the feature. ``Interactors/Throttle`` keeps one for you.
    /// - Complexity: O(*n*), where *n* is the number of emissions that this emission consists of.
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
