import LatticeCoding

/// What is known of the end of a worker, for a client that may know. It goes out before the outcomes that it explains:
/// those that were interrupted at the end of that life, and that of an event that goes to quarantine for it.
package struct CrashReportMessage: WireMessageBody {
    package static let kind = MessageKind.crashReport

    /// The name of an event in the world.
    package struct Event: FieldedBody, Sendable, Equatable {
        package static let name = "an event"

        /// The sender's identity: 16 bytes.
        package var sender: [UInt8] = []
        /// The number of the sender's channel, above 0.
        package var channel: UInt32 = 0
        package var feature = ""
        /// Empty for the only instance.
        package var instance = ""
        /// The event's number on that channel.
        package var number: UInt64 = 0

        package init(sender: [UInt8], channel: UInt32, feature: String, instance: String, number: UInt64) {
            self.sender = sender
            self.channel = channel
            self.feature = feature
            self.instance = instance
            self.number = number
        }

        package init() {}

        package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
            try coder.field(1, "sender", &sender, .identity())
            try coder.field(2, "channel", &channel, .number(in: 1...UInt32.max))
            try coder.field(3, "feature", &feature, .identifier)
            try coder.field(4, "instance", &instance, .text(0...MessageLimits.maximumInstance))
            try coder.field(5, "number", &number, .growing)
        }
    }

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
    package var turn: Event?
    /// Events that were on their way, at most ``MessageLimits/maximumReported``.
    package var events: [Event] = []
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
