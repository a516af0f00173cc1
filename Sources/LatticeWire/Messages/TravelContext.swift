/// The data that travels with an event or a call in addition to its content: the deadline, the event on whose behalf it
/// is made, and the trace.
package struct TravelContext: FieldedBody, Equatable, Sendable {
    package static let name = "a context"

    /// The time that was left until the deadline when the message was written, in milliseconds; nil without a deadline.
    package var leftMilliseconds: UInt64?
    /// The entries of distributed tracing, as KEY=VALUE; nil if there are none.
    package var trace: [String]?
    /// The event on whose behalf a call is made, or the event whose turn or effect sent this event; nil if there is
    /// none.
    package var event: WireEventName?
    /// The incarnation of the worker from whose end the feature recovers with this event; nil for other events, and for
    /// calls.
    package var recovery: UInt64?

    package init(
        leftMilliseconds: UInt64? = nil,
        trace: [String]? = nil,
        event: WireEventName? = nil,
        recovery: UInt64? = nil
    ) {
        self.leftMilliseconds = leftMilliseconds
        self.trace = trace
        self.event = event
        self.recovery = recovery
    }

    package init() {}

    /// The number of bytes of the trace.
    package var traceBytes: Int { trace?.reduce(0) { $0 + $1.utf8.count } ?? 0 }

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.optional(1, "leftMilliseconds", &leftMilliseconds, .unsigned)
        try coder.optional(2, "trace", &trace, .list(.traceEntry, maximum: MessageLimits.maximumTrace))
        try coder.optional(3, "event", &event, .value)
        try coder.optional(4, "recovery", &recovery, .unsigned)
    }
}

extension FieldType<String> {
    fileprivate static var traceEntry: FieldType { text(1...MessageLimits.maximumTraceEntry) }
}
