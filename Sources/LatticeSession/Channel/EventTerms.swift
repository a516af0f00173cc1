package import LatticeWire

/// What travels with an event or a call: until when somebody has a use for it, and in which trace it stands.
package struct EventTerms: Sendable, Equatable {
    package var deadline: EventDeadline
    /// As KEY=VALUE, by ascending keys.
    package var trace: [String]

    /// What most events have.
    package static let none = EventTerms()

    package init(deadline: EventDeadline = .never, trace: [String] = []) {
        self.deadline = deadline
        self.trace = trace
    }

    /// Bytes that are kept with an event.
    package var bytes: Int { trace.reduce(0) { $0 + $1.utf8.count } }

    /// As a message has it that has just come.
    package init(_ context: TravelContext?) {
        self.init(
            deadline: EventDeadline(leftMilliseconds: context?.leftMilliseconds),
            trace: context?.trace ?? []
        )
    }

    /// As a message has it that goes out now; nil: nothing travels.
    package var context: TravelContext? {
        TravelContext(leftMilliseconds: deadline.leftMilliseconds, trace: trace.isEmpty ? nil : trace).ifAny
    }
}
