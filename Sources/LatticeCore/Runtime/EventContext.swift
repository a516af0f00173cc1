package import LatticeConcurrency

/// The information about an event that its effects can read.
package struct EventContext: Sendable {
    /// The value of ``EventID/current``, or nil if it is not needed.
    package var identity: EventID?
    /// The deadline of the event, for ``Deadline/current``.
    package var deadline: MonotonicDeadline
    /// The value of ``TraceContext/currentLines``.
    package var trace: [String]

    /// Creates a context.
    package init(identity: EventID? = nil, deadline: MonotonicDeadline = .never, trace: [String] = []) {
        self.identity = identity
        self.deadline = deadline
        self.trace = trace
    }

    /// Runs `body`, whose tasks can read the context. The calling code may be an effect of another event.
    func around<Result>(_ body: () -> Result) -> Result {
        if identity != EventID.current {
            return EventID.$current.withValue(identity) { around(body) }
        }
        if deadline != MonotonicDeadline.current {
            return MonotonicDeadline.$current.withValue(deadline) { around(body) }
        }
        if trace != TraceContext.currentLines {
            return TraceContext.$currentLines.withValue(trace, operation: body)
        }
        return body()
    }
}
