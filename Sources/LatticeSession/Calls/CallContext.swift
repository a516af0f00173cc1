package import LatticeWire

/// What travels with a call: until when somebody has a use for it, in which trace it stands, and on behalf of which
/// event it is made.
package struct CallContext: Sendable {
    /// What few calls have. Apart, as all of this is handed on often.
    private final class Rest: Sendable {
        let trace: [String]
        let event: WireEventName?

        init(_ trace: [String], _ event: WireEventName?) {
            self.trace = trace
            self.event = event
        }
    }

    package var deadline: EventDeadline
    private let rest: Rest?

    package init(deadline: EventDeadline = .never, trace: [String] = [], event: WireEventName? = nil) {
        self.deadline = deadline
        rest = trace.isEmpty && event == nil ? nil : Rest(trace, event)
    }

    /// As KEY=VALUE, by ascending keys.
    package var trace: [String] { rest?.trace ?? [] }
    package var event: WireEventName? { rest?.event }

    /// As a message has them that has just come.
    init(_ context: TravelContext?) {
        self.init(
            deadline: EventDeadline(leftMilliseconds: context?.leftMilliseconds),
            trace: context?.trace ?? [],
            event: context?.event
        )
    }

    /// As a message has them that goes out now; nil: nothing travels.
    var context: TravelContext? {
        guard !isEmpty else { return nil }
        return TravelContext(
            leftMilliseconds: deadline.leftMilliseconds,
            trace: trace.isEmpty ? nil : trace,
            event: event
        )
    }

    /// Whether a method need not be told of anything.
    package var isEmpty: Bool { deadline == .never && rest == nil }
}
