package import LatticeWire

/// What travels with a call: until when somebody has a use for it, in which trace it stands, and on behalf of which
/// event it is made.
package struct CallTerms: Sendable {
    package var deadline: EventDeadline
    /// As KEY=VALUE, by ascending keys.
    package var trace: [String]
    package var event: WireEventName?

    package init(deadline: EventDeadline = .never, trace: [String] = [], event: WireEventName? = nil) {
        self.deadline = deadline
        self.trace = trace
        self.event = event
    }

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
        TravelContext(
            leftMilliseconds: deadline.leftMilliseconds,
            trace: trace.isEmpty ? nil : trace,
            event: event
        ).ifAny
    }

    /// Whether a method need not be told of anything.
    package var isEmpty: Bool { deadline == .never && trace.isEmpty && event == nil }
}
