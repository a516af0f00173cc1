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
    }

    /// What the host does.
    package var kind: Kind
    package var incarnation: UInt64
    /// The worker's process; 0 if there is none.
    package var processID: UInt32
    /// Which attempt to start again this is; 0 outside a restart.
    package var attempt: UInt32
    /// How long the next start waits; 0 outside a restart.
    package var delayMilliseconds: UInt64
    /// How the last worker ended, if one did.
    package var cause: WireCause?
    package var reason: String
    /// What happened before, oldest first; the newest 16 are sent.
    package var history: [String]

    package init(
        kind: Kind,
        incarnation: UInt64 = 0,
        processID: UInt32 = 0,
        attempt: UInt32 = 0,
        delayMilliseconds: UInt64 = 0,
        cause: WireCause? = nil,
        reason: String = "",
        history: [String] = []
    ) {
        self.kind = kind
        self.incarnation = incarnation
        self.processID = processID
        self.attempt = attempt
        self.delayMilliseconds = delayMilliseconds
        self.cause = cause
        self.reason = reason
        self.history = history
    }

    package func encode(into writer: inout CBORWriter) {
        writer.append(mapHeader: cause == nil ? 7 : 8)
        writer.append(unsigned: 1)
        writer.append(unsigned: UInt64(kind.rawValue))
        writer.append(unsigned: 2)
        writer.append(unsigned: incarnation)
        writer.append(unsigned: 3)
        writer.append(unsigned: UInt64(processID))
        writer.append(unsigned: 4)
        writer.append(unsigned: UInt64(attempt))
        writer.append(unsigned: 5)
        writer.append(unsigned: delayMilliseconds)
        if let cause {
            writer.append(unsigned: 6)
            cause.encode(into: &writer)
        }
        writer.append(unsigned: 7)
        writer.append(text: MessageLimits.trimmed(reason))
        writer.append(unsigned: 8)
        let newest = history.suffix(MessageLimits.maximumHistory)
        writer.append(arrayHeader: newest.count)
        for entry in newest { writer.append(text: MessageLimits.trimmed(entry)) }
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        var fields = try MessageFields(bytes, of: "hostStatus")
        var kind: Kind?
        var incarnation, delay: UInt64?
        var processID, attempt: UInt32?
        var cause: WireCause?
        var reason: String?
        var history: [String]?
        while let key = try fields.next() {
            switch key {
            case 1: kind = try fields.number(Kind.self, "kind")
            case 2: incarnation = try fields.reader.unsigned()
            case 3: processID = try fields.reader.unsigned(UInt32.self)
            case 4: attempt = try fields.reader.unsigned(UInt32.self)
            case 5: delay = try fields.reader.unsigned()
            case 6: cause = try WireCause(reading: &fields.reader)
            case 7: reason = try fields.sentence("reason")
            case 8: history = try HostStatusMessage.history(&fields)
            default: try fields.reader.skip()
            }
        }
        try fields.reader.finish()
        self.kind = try fields.require(kind, "kind")
        self.incarnation = try fields.require(incarnation, "incarnation")
        self.processID = try fields.require(processID, "processID")
        self.attempt = try fields.require(attempt, "attempt")
        self.delayMilliseconds = try fields.require(delay, "delayMilliseconds")
        self.cause = cause
        self.reason = try fields.require(reason, "reason")
        self.history = try fields.require(history, "history")
    }

    private static func history(_ fields: inout MessageFields) throws(WireError) -> [String] {
        let count = try fields.list(maximum: MessageLimits.maximumHistory, "history")
        var entries: [String] = []
        for _ in 0..<count {
            entries.append(try fields.sentence("history"))
        }
        return entries
    }
}
