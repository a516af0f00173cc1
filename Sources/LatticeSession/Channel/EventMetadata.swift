package import LatticeConcurrency
package import LatticeWire

/// The metadata that travels with an event: its deadline, its trace context, and its cause.
package struct EventMetadata: Sendable, Equatable {
    /// The cause of an event, if that is more than that its sender sent it.
    package enum Cause: Sendable, Equatable {
        /// The turn or an effect of this other event sent the event.
        case event(WireEventName)
        /// The feature recovers from the end of this incarnation of the worker. The sender should state no event
        /// together with it.
        case recovery(UInt64, stated: WireEventName? = nil)

        /// The event that the sender stated, or nil if it stated none.
        fileprivate var event: WireEventName? {
            switch self {
            case .event(let name): name
            case .recovery(_, let name): name
            }
        }
    }

    /// The lines of the trace context and the cause, with their size.
    ///
    /// They are stored behind one optional reference, which is nil for most events. An empty array would be
    /// reference-counted wherever an event is kept.
    private final class Rest: Sendable {
        let lines: [String]
        let cause: Cause?
        let bytes: Int

        init(_ lines: [String], _ cause: Cause?) {
            self.lines = lines
            self.cause = cause
            var bytes = lines.reduce(0) { $0 + $1.utf8.count }
            if let name = cause?.event { bytes += name.feature.utf8.count + name.instance.utf8.count }
            self.bytes = bytes
        }
    }

    /// The time after which the event is rejected and its effects are cancelled.
    package let deadline: MonotonicDeadline
    private var rest: Rest?

    /// The metadata of an event without a deadline, a trace context and a cause.
    package static let none = EventMetadata()

    /// Creates metadata from its parts.
    ///
    /// - Parameters:
    ///   - deadline: The deadline of the event.
    ///   - trace: The trace context as lines of the form KEY=VALUE, in ascending order of the keys.
    ///   - cause: The cause of the event, or nil if its sender sent it outside of other events.
    package init(deadline: MonotonicDeadline = .never, trace: [String] = [], cause: Cause? = nil) {
        self.deadline = deadline
        rest = trace.isEmpty && cause == nil ? nil : Rest(trace, cause)
    }

    /// Creates metadata from the context of a message that has just arrived.
    package init(_ context: TravelContext?) {
        guard let context else {
            self = .none
            return
        }
        self.init(
            deadline: MonotonicDeadline(leftMilliseconds: context.leftMilliseconds),
            trace: context.trace ?? [],
            cause: context.recovery.map { .recovery($0, stated: context.event) } ?? context.event.map { .event($0) }
        )
    }

    /// The lines of the trace context, each of the form KEY=VALUE.
    package var trace: [String] { rest?.lines ?? [] }

    /// The cause of the event, or nil if its sender sent it outside of other events.
    package var cause: Cause? { rest?.cause }

    /// A Boolean value that indicates whether there is neither a deadline nor a trace context nor a cause.
    package var isNone: Bool { rest == nil && deadline == .never }

    /// The memory in bytes that the trace context and the cause occupy while the event is kept.
    package var bytes: Int { rest?.bytes ?? 0 }

    /// The metadata of an event that a client sent. A client cannot recover a feature, so such a cause is left out. An
    /// event that the client stated as well is the cause then.
    package var ofClient: EventMetadata {
        guard case .recovery(_, let event) = cause else { return self }
        return EventMetadata(deadline: deadline, trace: trace, cause: event.map { .event($0) })
    }

    /// Removes the trace context and the cause, which will not be sent again.
    mutating func dropRest() {
        rest = nil
    }

    /// The metadata in the form of a message that is sent now. Nil if there is nothing to send.
    package var context: TravelContext? {
        guard !isNone else { return nil }
        var context = TravelContext(leftMilliseconds: deadline.leftMilliseconds)
        if let lines = rest?.lines, !lines.isEmpty { context.trace = lines }
        switch rest?.cause {
        case .event(let name): context.event = name
        case .recovery(let incarnation, _): context.recovery = incarnation
        case nil: break
        }
        return context
    }

    package static func == (left: EventMetadata, right: EventMetadata) -> Bool {
        left.deadline == right.deadline && left.trace == right.trace && left.cause == right.cause
    }
}
