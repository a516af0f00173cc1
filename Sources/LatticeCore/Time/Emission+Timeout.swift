import LatticeConcurrency

extension Emission {
    /// Makes effects that do not end in time fail with ``EffectTimeout``.
    ///
    /// The timeout applies to each effect separately, including those in merges and appends. The time starts when the
    /// runtime starts the effect. Inside a ``retry(_:clock:seed:if:)``, it starts again for each attempt. When the time
    /// has passed, the work is cancelled and the effect ends, even if the work ignores its cancellation. Anything that
    /// the work returns or sends later is dropped.
    ///
    /// If nothing catches the error, the outcome of the event is ``EventOutcome/failed(_:)``. ``catch(_:)`` converts
    /// the error into an action.
    /// - Complexity: O(*n*), where *n* is the number of emissions that this emission consists of.
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

/// The error of an effect that did not end within the time of ``Emission/timeout(_:clock:)``.
public struct EffectTimeout: Error, Sendable, Hashable, CustomStringConvertible {
    /// The allowed time, as the clock describes it.
    public let limit: String

    /// A predicate with the allowed time, such as "did not end within 5.0 seconds".
    public var description: String { "did not end within \(limit)" }
}
