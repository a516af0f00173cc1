/// The state machine that merges the progress reports of a job and limits their rate.
///
/// The first report is sent at once. Later ones are merged, and sent when ``interval`` has passed since the last one
/// was sent.
struct ReportMerger: Sendable {
    enum Phase: Sendable, Equatable {
        /// Nothing waits to be sent. The last report was sent at this time, or none was sent.
        case idle(lastSent: ContinuousClock.Instant?)
        /// A report waits until a timer fires.
        case waiting
        /// The job has ended, and its last report travels with its output.
        case ended
    }

    /// The minimum interval between two reports of a job that are sent: 50 milliseconds.
    static let interval: Duration = .milliseconds(50)

    private(set) var phase = Phase.idle(lastSent: nil)
    /// All reports of the job, merged.
    private(set) var progress = JobProgress()
    /// The number of reports that were sent. The receiver drops a report that was overtaken.
    private(set) var sent: UInt64 = 0

    /// Adds a report.
    ///
    /// - Returns: The delay after which ``send(at:)`` is to be called, or nil if no further call is needed.
    mutating func add(_ report: JobProgress, at now: ContinuousClock.Instant) -> Duration? {
        switch phase {
        case .idle(let lastSent):
            progress.merge(report)
            phase = .waiting
            return lastSent.map { max(.zero, now.duration(to: $0 + Self.interval)) } ?? .zero
        case .waiting:
            progress.merge(report)
            return nil
        case .ended: return nil
        }
    }

    /// Takes the report that is to be sent now.
    ///
    /// - Returns: The report and its number, or nil if there is nothing to send.
    mutating func send(at now: ContinuousClock.Instant) -> (progress: JobProgress, number: UInt64)? {
        guard phase == .waiting else { return nil }
        phase = .idle(lastSent: now)
        sent += 1
        return (progress, sent)
    }

    /// Ends the reports.
    ///
    /// - Returns: The last progress, or nil if the job reported none.
    mutating func end() -> JobProgress? {
        defer { phase = .ended }
        return phase == .idle(lastSent: nil) || phase == .ended ? nil : progress
    }
}
