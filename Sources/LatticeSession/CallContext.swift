package import LatticeConcurrency
package import LatticeWire

/// The data that travels with a call: its deadline, its trace, and the event on whose behalf it is made.
package struct CallContext: Sendable {
    /// The parts that few calls have. They are in an object of their own, because the context is copied often.
    private final class Rest: Sendable {
        let trace: [String]
        let event: WireEventName?
        let span: (any OpenSpan)?

        init(_ trace: [String], _ event: WireEventName?, _ span: (any OpenSpan)?) {
            self.trace = trace
            self.event = event
            self.span = span
        }
    }

    /// The time after which the answer is no longer needed.
    package var deadline: MonotonicDeadline
    private let rest: Rest?

    /// Creates a context.
    ///
    /// - Parameters:
    ///   - deadline: The time after which the answer is no longer needed.
    ///   - trace: The trace context as `KEY=VALUE`, ordered by key.
    ///   - event: The event on whose behalf the call is made.
    package init(deadline: MonotonicDeadline = .never, trace: [String] = [], event: WireEventName? = nil) {
        self.deadline = deadline
        rest = trace.isEmpty && event == nil ? nil : Rest(trace, event, nil)
    }

    private init(_ deadline: MonotonicDeadline, _ rest: Rest) {
        self.deadline = deadline
        self.rest = rest
    }

    /// Returns the context of a call that belongs to a span.
    ///
    /// - Parameter isCurrent: Whether the method runs in the span. False for a call that another process answers.
    package func within(_ span: any OpenSpan, isCurrent: Bool) -> CallContext {
        CallContext(deadline, Rest(span.lines, event, isCurrent ? span : nil))
    }

    /// The trace context as `KEY=VALUE`, ordered by key.
    package var trace: [String] { rest?.trace ?? [] }
    /// The span in which the method runs, or nil.
    package var span: (any OpenSpan)? { rest?.span }
    /// The event on whose behalf the call is made, if any.
    package var event: WireEventName? { rest?.event }

    /// Creates a context from a message that has just been received.
    package init(_ context: TravelContext?) {
        self.init(
            deadline: MonotonicDeadline(leftMilliseconds: context?.leftMilliseconds),
            trace: context?.trace ?? [],
            event: context?.event
        )
    }

    /// The context for a message that is sent now, or `nil` if there is none.
    package var travelContext: TravelContext? {
        guard !isEmpty else { return nil }
        return TravelContext(
            leftMilliseconds: deadline.leftMilliseconds,
            trace: trace.isEmpty ? nil : trace,
            event: event
        )
    }

    /// Whether the context has no content that a method could use.
    package var isEmpty: Bool { deadline == .never && rest == nil }
}
