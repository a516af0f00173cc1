import LatticeConcurrency

extension Emission {
    /// Ends the worker process of an effect that ignores its cancellation.
    ///
    /// ```swift
    /// .perform { .rendered(try await render(page)) }
    ///     .whenCancelled(endingWorkerAfter: .seconds(2))
    /// ```
    ///
    /// A cancelled event ends at once, and an effect that ignores its cancellation merely continues, which is reported.
    /// With this modifier, the worker process is killed if the work has not returned when the grace period after the
    /// cancellation has passed, with the cause `limit("effect timeout")`. A loop in C that notices no cancellation ends
    /// in this way. The other effects and events of the worker are interrupted and recovered as after any other death
    /// of a worker. The death counts against the restart limit.
    ///
    /// It does not matter what cancels the effect: the sender of its event, a deadline, a tool, ``cancel(id:)``, or a
    /// ``timeout(_:clock:)`` outside this modifier. An effect that is not cancelled may take any time. For a limit of
    /// that time, use ``timeout(_:endingWorker:clock:)``.
    ///
    /// - Important: In process, nothing can be ended. If a feature does not run in a worker, an issue is reported when
    ///   the grace period has passed.
    /// - Parameters:
    ///   - grace: The time that the work may take to return after it was cancelled.
    ///   - clock: The clock that measures the time.
    /// - Complexity: O(*n*), where *n* is the number of emissions that this emission consists of.
    public func whenCancelled<C: Clock>(
        endingWorkerAfter grace: C.Duration,
        clock: C = ContinuousClock()
    ) -> Self {
        mapEffects { effect in
            guard let begin = effect.anyStarter else { return nil }
            // An effect that has not begun when it is cancelled never begins.
            return Self(effect.effectShape ?? .run, startCounts: effect.starter != nil) { send, threads in
                let work = begin(send, threads)
                return {
                    let returned = OneShot<Void>()
                    defer { returned.complete() }
                    return try await withTaskCancellationHandler(operation: work) {
                        returned.complete(at: clock.now.advanced(by: grace), on: clock) { error in
                            if error == nil { OverdueEffect(cause: .cancellation, grace: "\(grace)").end() }
                        }
                    }
                }
            }
        }
    }
}
