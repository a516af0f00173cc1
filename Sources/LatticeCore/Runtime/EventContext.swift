import LatticeConcurrency

/// What the effects of an event know of it.
package struct EventContext: Sendable {
    /// As ``EventID/current``; nil: nobody needs it.
    package var identity: EventID?
    /// As ``Deadline/current``; nil: it has none.
    package var deadline: ContinuousClock.Instant?
    /// As ``TraceContext/currentLines``.
    package var trace: [String]

    package init(identity: EventID? = nil, deadline: ContinuousClock.Instant? = nil, trace: [String] = []) {
        self.identity = identity
        self.deadline = deadline
        self.trace = trace
    }

    /// Runs `body`, whose tasks know the event. What surrounds it may be the effect of another one.
    func around<Result>(_ body: () -> Result) -> Result {
        if identity != EventID.current {
            return EventID.$current.withValue(identity) { around(body) }
        }
        if deadline != Deadline.current {
            return TaskDeadline.$current.withValue(deadline) { around(body) }
        }
        if trace != TraceContext.currentLines {
            return TraceContext.$currentLines.withValue(trace, operation: body)
        }
        return body()
    }
}
