import LatticeCore
import LatticeWire

/// What a coordinator has told of the end of a worker, and which outcomes that explains. It comes before these.
struct ToldCrash {
    private let report: CrashReport
    /// The event of the channel that has gone to quarantine for it.
    private let quarantined: UInt64?

    init(_ message: CrashReportMessage) {
        report = CrashReport(message)
        quarantined = message.quarantined
    }

    /// - Parameter event: Its number on the channel.
    func explanation(of outcome: WireOutcome, of event: UInt64) -> CrashReport? {
        switch outcome {
        case .interrupted(_, report.incarnation): report
        case .rejected(.quarantined, _) where event == quarantined: report
        default: nil
        }
    }
}
