import LatticeJobs

/// The rate and the remaining time of a job, computed from the states that were shown.
///
/// Its clock is the time that was spent on the job, so that a pause makes no job slower.
package struct JobPace: Sendable {
    private static let start = ContinuousClock.now

    private var estimator = ProgressEstimator()
    private var seconds = 0.0

    /// Creates the pace of a job that begins now, or whose first state will be that of a job that runs already.
    package init() {
        // The first rate of a job that runs already is that of its whole time.
        estimator.add(JobProgress(completedUnits: 0), at: Self.start)
    }

    /// Adds a state of the job.
    package mutating func add(_ progress: some ProgressViewState) {
        // A new worker may continue from an earlier state.
        if progress.seconds < seconds { self = JobPace() }
        seconds = progress.seconds
        estimator.add(
            JobProgress(
                fraction: progress.isTotalKnown ? progress.share : nil,
                completedUnits: Int64(clamping: progress.bytes)
            ),
            at: Self.start + .seconds(seconds)
        )
    }

    /// Returns the figures to show.
    ///
    /// - Parameter isFinal: Whether the job has ended, so that no time is left.
    func parts(isFinal: Bool) -> [String] {
        var parts: [String] = []
        if let rate = estimator.unitsPerSecond, rate > 0 {
            // A job that has taken no time has a rate that no integer can hold.
            parts.append(NumberText.size(UInt64(min(rate, 1e18))) + "/s")
        }
        if !isFinal, let time = estimator.remainingTime {
            parts.append("\(Int((time / .seconds(1)).rounded(.up))) s left")
        }
        return parts
    }
}
