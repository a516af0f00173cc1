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
        timeout(duration, grace: nil, clock: clock)
    }

    /// Makes effects that do not end in time fail with ``EffectTimeout``, as ``timeout(_:clock:)`` does, and ends the
    /// worker process of an effect that ignores that.
    ///
    /// ```swift
    /// .perform { .rendered(try await render(page)) }
    ///     .timeout(.seconds(30), endingWorker: .seconds(2))
    /// ```
    ///
    /// When the time has passed, the effect fails, and its work is cancelled. If the work has not returned when the
    /// grace period has passed too, the worker process is killed with the cause `limit("effect timeout")`. A loop in C
    /// that notices no cancellation ends in this way. The other effects and events of the worker are interrupted and
    /// recovered as after any other death of a worker. The death counts against the restart limit.
    ///
    /// The times also hold for an effect that was cancelled earlier. With a grace period of zero, the event may end as
    /// ``EventOutcome/interrupted(_:)`` instead of `failed`, because the process ends before it has sent the outcome.
    ///
    /// - Important: In process, nothing can be ended. If a feature does not run in a worker, the effect fails in time,
    ///   but its work continues. An issue is reported when the grace period has passed.
    /// - Parameters:
    ///   - duration: The time that the effect may take.
    ///   - grace: The time that the work may take to return after it was cancelled.
    ///   - clock: The clock that measures both times.
    /// - Complexity: O(*n*), where *n* is the number of emissions that this emission consists of.
    public func timeout<C: Clock>(
        _ duration: C.Duration,
        endingWorker grace: C.Duration,
        clock: C = ContinuousClock()
    ) -> Self {
        timeout(duration, grace: grace, clock: clock)
    }

    private func timeout<C: Clock>(_ duration: C.Duration, grace: C.Duration?, clock: C) -> Self {
        mapEffects { effect in
            guard let begin = effect.anyStarter else { return nil }
            return Self(effect.effectShape == .perform ? .attempt : effect.effectShape ?? .run) { send, threads in
                let deadline = clock.now.advanced(by: duration)
                let end = OneShot<Result<Action?, any Error>>()
                let work = begin(send.until(end), threads)
                let returned = OneShot<Void>()
                if let grace {
                    returned.complete(at: deadline.advanced(by: grace), on: clock) { error in
                        if error == nil { OverdueEffect(cause: .timeout("\(duration)"), grace: "\(grace)").end() }
                    }
                }
                end.run { end in
                    let result = await Result.catching(work)
                    returned.complete()
                    end.complete(result)
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
