import LatticeConcurrency

extension Emission {
    /// Makes effects fail with ``EffectTimeout`` that have not ended in time.
    ///
    /// Covered is each effect for itself, those inside merges and appends too. The time runs from the moment in which
    /// the runtime starts the effect; inside a ``retry(_:clock:seed:if:)`` it runs for each attempt anew. When it is
    /// over the work is cancelled, and the effect ends even if the work does not listen; what such work returns or
    /// sends later is dropped.
    ///
    /// An error that nothing catches makes the event's outcome ``EventOutcome/failed(_:)``; ``catch(_:)`` turns it into
    /// an action.
    /// - Complexity: O(*n*), where *n* is the number of emissions that this one is made of.
    public func timeout<C: Clock>(_ duration: C.Duration, clock: C = ContinuousClock()) -> Self {
        mapEffects { effect in
            guard let begin = effect.anyStarter else { return nil }
            return Self(effect.effectShape == .perform ? .attempt : effect.effectShape ?? .run) { send, threads in
                let deadline = clock.now.advanced(by: duration)
                let end = OneShot<Result<Action?, any Error>>()
                let work = begin(send.until(end), threads)
                end.run { end in
                    end.complete(await .catching(work))
                }
                end.complete(at: deadline, on: clock) { .failure($0 ?? EffectTimeout(limit: "\(duration)")) }
                return { try await end.value(ifCancelled: .failure(CancellationError()), awaitsTasks: true).get() }
            }
        }
    }
}

/// An effect did not end in the time that ``Emission/timeout(_:clock:)`` gives it.
public struct EffectTimeout: Error, Sendable, Hashable, CustomStringConvertible {
    /// The time it had, as the clock describes it.
    public let limit: String

    public var description: String { "did not end within \(limit)" }
}
