import LatticeCore
import LatticeSession
import LatticeWire

/// The crash reports that a coordinator has sent in a session, the newest one of each incarnation. A report arrives
/// before the outcomes that it explains.
struct ReceivedCrashReports {
    private struct Received {
        let report: CrashReport
        /// The event of the channel that is quarantined because of the crash, or nil.
        let quarantined: UInt64?
    }

    /// At most ``ChannelUpdate/maximumCrashReports``, oldest first.
    private var received: [Received] = []

    mutating func add(_ message: CrashReportMessage) {
        received.removeAll { $0.report.incarnation == message.incarnation }
        if received.count == ChannelUpdate.maximumCrashReports { received.removeFirst() }
        received.append(Received(report: CrashReport(message), quarantined: message.quarantined))
    }

    /// Returns the report that explains an outcome, or nil if there is none.
    ///
    /// - Parameters:
    ///   - outcome: The outcome.
    ///   - event: The number of the event on the channel.
    func explanation(of outcome: WireOutcome, of event: UInt64) -> CrashReport? {
        switch outcome {
        case .interrupted(_, let incarnation): received.last { $0.report.incarnation == incarnation }?.report
        case .rejected(.quarantined, _): received.last { $0.quarantined == event }?.report
        default: nil
        }
    }
}
