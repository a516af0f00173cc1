import LatticeConcurrency

extension Emission {
    /// Lets only the last of several effects run, once no other has begun for a while.
    ///
    /// Covered are `perform` and `run`, those inside merges and appends too; all of them share `debouncer`. The place
    /// of an effect and the time it waits are fixed when the runtime starts it, so the action that was handled last
    /// wins; steps of an append do not supersede one another, since each starts after the end of the one before.
    /// A superseded effect ends at once, without an action. Everything else passes unchanged.
    ///
    /// Keep the debouncer as long as the feature: one that is made anew for each action coalesces nothing.
    /// ``Interactors/Debounce`` does that by itself.
    /// - Complexity: O(*n*), where *n* is the number of emissions that this one is made of.
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
