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

    /// Records the crash reports of an update, and adds to each outcome of the update the report that explains it.
    ///
    /// Updates are explained in the order of their arrival and before they are joined. A new session may be one with
    /// another coordinator, whose incarnations have the same numbers.
    mutating func explain(_ update: ChannelUpdate) -> ChannelUpdate {
        for change in update.changes {
            switch change {
            case .crashReport(let message): add(message)
            case .opened: received = []
            case .interrupted, .host, .problem, .closed, .revived: break
            }
        }
        guard !received.isEmpty else { return update }
        var explained = update
        for (index, ending) in update.endings.enumerated() where ending.report == nil {
            let report = explanation(of: ending.outcome, of: ending.event)
            explained.endings[index].report = report.map { TerminationReport($0) }
        }
        return explained
    }

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
        case .interrupted(_, let incarnation): received.first { $0.report.incarnation == incarnation }?.report
        case .rejected(.quarantined, _, _): received.first { $0.quarantined == event }?.report
        default: nil
        }
    }
}
