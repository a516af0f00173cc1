import LatticeCore
import LatticeWire

/// The crash report that a coordinator has sent. It arrives before the outcomes that it explains.
struct ReceivedCrashReport {
    private let report: CrashReport
    /// The event of the channel that is quarantined because of the crash, or nil.
    private let quarantined: UInt64?

    init(_ message: CrashReportMessage) {
        report = CrashReport(message)
        quarantined = message.quarantined
    }

    /// Returns the report if it explains an outcome, otherwise nil.
    ///
    /// - Parameters:
    ///   - outcome: The outcome.
    ///   - event: The number of the event on the channel.
    func explanation(of outcome: WireOutcome, of event: UInt64) -> CrashReport? {
        switch outcome {
        case .interrupted(_, report.incarnation): report
        case .rejected(.quarantined, _) where event == quarantined: report
        default: nil
        }
    }
}
