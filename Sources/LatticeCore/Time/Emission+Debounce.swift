import LatticeConcurrency

extension Emission {
    /// Debounces effects: of several effects, only the last one runs, when no further effect has started for a period
    /// of time.
    ///
    /// The debouncer applies to every `perform` and `run`, including those in merges and appends, and they share it.
    /// The order and the deadline of an effect are determined when the runtime starts it, so the effect of the last
    /// handled action is kept. The steps of an append do not supersede one another, because each step starts after the
    /// end of the previous one. A superseded effect ends at once, without an action. All other emissions are unchanged.
    ///
    /// Keep the debouncer as long as the feature. A debouncer that is created for each action has no effect.
    /// ``Interactors/Debounce`` keeps one for you.
    /// - Complexity: O(*n*), where *n* is the number of emissions that this emission consists of.
    public func debounce<C: Clock>(using debouncer: Debouncer<C, Action?>) -> Self where C.Duration: Sendable {
        debounced(by: debouncer.calls, key: Debouncer<C, Action?>.key)
    }

    func debounced<C: Clock>(by calls: DebounceCalls<C>, key: EffectID) -> Self {
        mapEffects { effect in
            guard let shape = effect.effectShape, let begin = effect.anyStarter else { return nil }
            return Self(shape) { send, threads in
                let call = calls.begin(key) { call in
                    await Result.catching(begin(send.until(call), threads))
                }
                return {
                    switch await call.value(ifCancelled: .superseded, awaitsTasks: true) {
                    case .executed(let result): try result.get()
                    case .superseded: nil
                    }
                }
            }
        }
    }
}
