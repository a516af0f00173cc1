package import LatticeCore
import LatticeSession
package import LatticeWire

extension CrashReport {
    /// Creates the report that a message contains.
    package init(_ message: CrashReportMessage) {
        self.init(
            group: message.group,
            incarnation: message.incarnation,
            processID: Int32(truncatingIfNeeded: message.processID),
            lifetime: .milliseconds(message.lifetimeMilliseconds),
            output: message.output,
            turn: message.turn.flatMap(EventID.init),
            events: message.events.compactMap(EventID.init),
            effects: message.effects
        )
    }
}

extension CrashReportMessage {
    /// Creates the message for a report.
    ///
    /// - Parameters:
    ///   - report: The report.
    ///   - quarantined: The event of the channel that is quarantined because of the crash, or nil.
    package init(_ report: CrashReport, quarantined: UInt64? = nil) {
        self.init()
        group = report.group
        incarnation = report.incarnation
        processID = UInt32(bitPattern: report.processID)
        lifetimeMilliseconds = UInt64(clamping: report.lifetime.milliseconds)
        output = report.output.suffix(MessageLimits.maximumOutput)
        turn = report.turn.map(WireEventName.init)
        events = report.events.suffix(MessageLimits.maximumReported).map(WireEventName.init)
        effects = Array(report.effects.prefix(MessageLimits.maximumReported))
        self.quarantined = quarantined
    }
}
