import LatticeCoding

/// What is known of the end of a worker, for a client that may know. It goes out before the outcomes that it explains:
/// those that were interrupted at the end of that life, and that of an event that goes to quarantine for it.
package struct CrashReportMessage: WireMessageBody {
    package static let kind = MessageKind.crashReport

    /// The life of the worker that ended.
    package var incarnation: UInt64 = 0
    package var group = ""
    /// The worker's process.
    package var processID: UInt32 = 0
    /// How long it had lived.
    package var lifetimeMilliseconds: UInt64 = 0
    /// The last lines of its standard error, oldest first, at most ``MessageLimits/maximumOutput``.
    package var output: [String] = []
    /// The event in whose turn it ended.
    package var turn: WireEventName?
    /// Events that were on their way, at most ``MessageLimits/maximumReported``.
    package var events: [WireEventName] = []
    /// The names of effects that ran, at most ``MessageLimits/maximumReported``.
    package var effects: [String] = []
    /// The event of this channel that goes to quarantine for it.
    package var quarantined: UInt64?

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        let most = MessageLimits.maximumReported
        try coder.field(1, "incarnation", &incarnation, .unsigned)
        try coder.field(2, "group", &group, .sentence)
        try coder.field(3, "processID", &processID, .unsigned)
        try coder.field(4, "lifetimeMilliseconds", &lifetimeMilliseconds, .unsigned)
        try coder.field(5, "output", &output, .list(.line, maximum: MessageLimits.maximumOutput))
        try coder.optional(6, "turn", &turn, .value)
        try coder.field(7, "events", &events, .list(.value, maximum: most))
        try coder.field(8, "effects", &effects, .list(.effectName, maximum: most))
        try coder.optional(9, "quarantined", &quarantined, .growing)
    }
}

extension FieldType<String> {
    /// A line that a worker has written. Senders cut it.
    fileprivate static var line: FieldType {
        FieldType(
            write: { $1.writer.append(text: MessageLimits.trimmed($0, to: MessageLimits.maximumLine)) },
            read: text(0...MessageLimits.maximumLine).read
        )
    }
}
