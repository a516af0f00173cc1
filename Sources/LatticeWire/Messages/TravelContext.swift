/// What travels with an event or a call besides what it says: until when, on whose behalf, and in which trace.
package struct TravelContext: FieldedBody, Equatable, Sendable {
    package static let name = "a context"

    /// For how long its sender has a use for it, when this was written; nil: for ever.
    package var leftMilliseconds: UInt64?
    /// What tracing has told, as KEY=VALUE; nil: nothing.
    package var trace: [String]?
    /// The event on whose behalf a call is made. Of an event itself nil: that has its name.
    package var event: WireEventName?

    package init(leftMilliseconds: UInt64? = nil, trace: [String]? = nil, event: WireEventName? = nil) {
        self.leftMilliseconds = leftMilliseconds
        self.trace = trace
        self.event = event
    }

    package init() {}

    /// Bytes of what tracing has told.
    package var traceBytes: Int { trace?.reduce(0) { $0 + $1.utf8.count } ?? 0 }

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.optional(1, "leftMilliseconds", &leftMilliseconds, .unsigned)
        try coder.optional(2, "trace", &trace, .list(.traceEntry, maximum: MessageLimits.maximumTrace))
        try coder.optional(3, "event", &event, .value)
    }
}

extension FieldType<String> {
    fileprivate static var traceEntry: FieldType { text(1...MessageLimits.maximumTraceEntry) }
}
