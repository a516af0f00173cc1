/// The place and condition of a feature, for clients that watch it through a coordinator.
package struct HostStatusMessage: WireMessageBody {
    package static let kind = MessageKind.hostStatus

    /// The kind of a status. It is an open set, like codes.
    package struct Kind: RawRepresentable, Sendable, Hashable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The feature is being connected to a worker.
        package static let connecting = Kind(rawValue: 1)
        /// A worker serves the feature.
        package static let serving = Kind(rawValue: 2)
        /// The worker has ended and will be started again.
        package static let restarting = Kind(rawValue: 3)
        /// The worker finishes its work and accepts no new events.
        package static let draining = Kind(rawValue: 4)
        /// The worker was given up.
        package static let failed = Kind(rawValue: 5)
        /// The worker does not answer.
        package static let unresponsive = Kind(rawValue: 6)
    }

    /// The kind of the status.
    package var kind: Kind = Kind(rawValue: 0)
    /// The incarnation of the worker; 0 if there is none.
    package var incarnation: UInt64 = 0
    /// The process ID of the worker; 0 if there is none.
    package var processID: UInt32 = 0
    /// The number of the attempt to start the worker again; 0 outside a restart.
    package var attempt: UInt32 = 0
    /// The time until the next start in milliseconds; 0 outside a restart.
    package var delayMilliseconds: UInt64 = 0
    /// How the last worker ended; nil if none has ended.
    package var cause: WireCause?
    /// The reason for the status, in one sentence; empty if there is none.
    package var reason: String = ""
    /// What happened before, oldest first. The newest 16 entries are sent.
    package var history: [String] = []
    /// The result of the service in the word that systemd uses for it; nil if systemd has no such word.
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
    /// The newest sentences of a history.
    fileprivate static var history: FieldType {
        let type = list(.sentence, maximum: MessageLimits.maximumHistory)
        return FieldType(
            write: { type.write($0.suffix(MessageLimits.maximumHistory), &$1) },
            read: type.read
        )
    }
}
