import LatticeConcurrency

/// What the effects of an event know of it.
package struct EventContext: Sendable {
    /// As ``EventID/current``; nil: nobody needs it.
    package var identity: EventID?
    /// As ``Deadline/current``; nil: it has none.
    package var deadline: ContinuousClock.Instant?

    package init(identity: EventID? = nil, deadline: ContinuousClock.Instant? = nil) {
        self.identity = identity
        self.deadline = deadline
    }

    /// Runs `body`, whose tasks know the event. What surrounds it may be the effect of another one.
    func around<Result>(_ body: () -> Result) -> Result {
        if identity != EventID.current {
            return EventID.$current.withValue(identity) { around(body) }
        }
        if deadline != Deadline.current {
            return TaskDeadline.$current.withValue(deadline, operation: body)
        }
        return body()
    }
}
