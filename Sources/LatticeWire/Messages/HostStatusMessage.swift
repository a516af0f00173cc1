/// Where a feature lives and how it is, for who watches it through a coordinator.
package struct HostStatusMessage: WireMessageBody {
    package static let kind = MessageKind.hostStatus

    /// An open set, as codes are.
    package struct Kind: RawRepresentable, Sendable, Hashable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        package static let connecting = Kind(rawValue: 1)
        package static let serving = Kind(rawValue: 2)
        package static let restarting = Kind(rawValue: 3)
        package static let draining = Kind(rawValue: 4)
        package static let failed = Kind(rawValue: 5)
        package static let unresponsive = Kind(rawValue: 6)
    }

    /// What the host does.
    package var kind: Kind = Kind(rawValue: 0)
    package var incarnation: UInt64 = 0
    /// The worker's process; 0 if there is none.
    package var processID: UInt32 = 0
    /// Which attempt to start again this is; 0 outside a restart.
    package var attempt: UInt32 = 0
    /// How long the next start waits; 0 outside a restart.
    package var delayMilliseconds: UInt64 = 0
    /// How the last worker ended, if one did.
    package var cause: WireCause?
    package var reason: String = ""
    /// What happened before, oldest first; the newest 16 are sent.
    package var history: [String] = []
    /// How it came out, in systemd's word, if there is one.
    package var result: String?

    package init(
        kind: Kind,
        incarnation: UInt64 = 0,
        processID: UInt32 = 0,
        attempt: UInt32 = 0,
        delayMilliseconds: UInt64 = 0,
        cause: WireCause? = nil,
        reason: String = "",
        history: [String] = [],
        result: String? = nil
    ) {
        self.kind = kind
        self.incarnation = incarnation
        self.processID = processID
        self.attempt = attempt
        self.delayMilliseconds = delayMilliseconds
        self.cause = cause
        self.reason = reason
        self.history = history
        self.result = result
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "kind", &kind, .code)
        try coder.field(2, "incarnation", &incarnation, .unsigned)
        try coder.field(3, "processID", &processID, .unsigned)
        try coder.field(4, "attempt", &attempt, .unsigned)
        try coder.field(5, "delayMilliseconds", &delayMilliseconds, .unsigned)
        try coder.optional(6, "cause", &cause, .value)
        try coder.field(7, "reason", &reason, .sentence)
        try coder.field(8, "history", &history, .history)
        try coder.optional(9, "result", &result, .sentence)
    }
}

extension FieldType<[String]> {
    /// Sentences, of which the newest are written.
    fileprivate static var history: FieldType {
        let type = list(.sentence, maximum: MessageLimits.maximumHistory)
        return FieldType(
            write: { type.write($0.suffix(MessageLimits.maximumHistory), &$1) },
            read: type.read
        )
    }
}
