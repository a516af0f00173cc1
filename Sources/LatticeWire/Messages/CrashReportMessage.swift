import LatticeCoding

/// The known facts about the end of a worker, for a client that may see them. It is sent before the outcomes that it
/// explains: the events that were interrupted by that end, and the event that is quarantined because of it.
package struct CrashReportMessage: WireMessageBody {
    package static let kind = MessageKind.crashReport

    /// The incarnation of the worker that ended.
    package var incarnation: UInt64 = 0
    /// The name of the worker's group.
    package var group = ""
    /// The process ID of the worker.
    package var processID: UInt32 = 0
    /// The time from the start of the process to its end, in milliseconds.
    package var lifetimeMilliseconds: UInt64 = 0
    /// The last lines of its standard error, oldest first, at most ``MessageLimits/maximumOutput``.
    package var output: [String] = []
    /// The event in whose turn it ended; nil if it ended in none.
    package var turn: WireEventName?
    /// The events that were on their way to it, at most ``MessageLimits/maximumReported``.
    package var events: [WireEventName] = []
    /// The names of effects that ran, at most ``MessageLimits/maximumReported``.
    package var effects: [String] = []
    /// The event of this channel that is quarantined because of this end.
    package var quarantined: UInt64?

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        let maximum = MessageLimits.maximumReported
        try coder.field(1, "incarnation", &incarnation, .unsigned)
        try coder.field(2, "group", &group, .sentence)
        try coder.field(3, "processID", &processID, .unsigned)
        try coder.field(4, "lifetimeMilliseconds", &lifetimeMilliseconds, .unsigned)
        try coder.field(5, "output", &output, .list(.line, maximum: MessageLimits.maximumOutput))
        try coder.optional(6, "turn", &turn, .value)
        try coder.field(7, "events", &events, .list(.value, maximum: maximum))
        try coder.field(8, "effects", &effects, .list(.effectName, maximum: maximum))
        try coder.optional(9, "quarantined", &quarantined, .growing)
    }
}

extension FieldType<String> {
    /// A line that a worker has written. Senders cut a line that is too long.
    fileprivate static var line: FieldType {
        FieldType(
            write: { $1.writer.append(text: MessageLimits.trimmed($0, to: MessageLimits.maximumLine)) },
            read: text(0...MessageLimits.maximumLine).read
        )
    }
}
