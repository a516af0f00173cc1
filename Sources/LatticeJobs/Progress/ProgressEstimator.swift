/// Computes the rate and the remaining time of work from its progress reports.
///
/// The rate is that of the last ``period``, so that it follows work that becomes slower or faster. The estimator is a
/// value that gets the time as an argument. It is used for jobs and can be used for any other work.
///
/// ```swift
/// var estimator = ProgressEstimator()
/// estimator.add(JobProgress(completedUnits: 40, totalUnits: 100), at: .now)
/// print(estimator.unitsPerSecond ?? 0, estimator.remainingTime ?? .zero)
/// ```
public struct ProgressEstimator: Sendable {
    fileprivate struct Sample: Sendable {
        let time: ContinuousClock.Instant
        let fraction: Double?
        let units: Double?
    }

    /// The time over which rates are computed: 10 seconds.
    public static var period: Duration { .seconds(10) }
    /// The maximum number of reports that are kept. Reports that follow the last one sooner than a part of the period
    /// replace it.
    static let maximumSamples = 64

    /// The reports, oldest first.
    private var samples: [Sample] = []

    /// Creates an estimator without reports.
    public init() {}

    /// Adds a report. If the work went back, the estimator starts again with this report.
    ///
    /// - Parameters:
    ///   - progress: The report.
    ///   - now: The time of the report, which is not earlier than that of the last one.
    public mutating func add(_ progress: JobProgress, at now: ContinuousClock.Instant) {
        let sample = Sample(time: now, fraction: progress.fraction, units: progress.completedUnits.map(Double.init))
        if let last = samples.last, last.isAhead(of: sample) { samples = [] }
        let interval = Self.period / Self.maximumSamples
        if samples.count > 1, samples[samples.count - 2].time.duration(to: now) < interval { samples.removeLast() }
        samples.append(sample)
        // The last report before the period is kept, so that the samples cover the whole period.
        while samples.count > 2, samples[1].time.duration(to: now) >= Self.period { samples.removeFirst() }
    }

    /// The number of reports that are kept.
    var sampleCount: Int { samples.count }

    /// The number of units that are completed in a second, or nil before the second report with units.
    public var unitsPerSecond: Double? { rate { $0.units } }

    /// The time until the fraction is 1 at the present rate, or nil if the rate is not known or is 0.
    public var remainingTime: Duration? {
        guard let fraction = samples.last?.fraction else { return nil }
        if fraction >= 1 { return .zero }
        guard let rate = rate({ $0.fraction }), rate > 0 else { return nil }
        let seconds = (1 - fraction) / rate
        return seconds < Self.maximumRemainingSeconds ? .seconds(seconds) : nil
    }

    /// The remaining time that is reported as unknown: 100 years.
    private static let maximumRemainingSeconds = 100.0 * 365 * 86_400

    private func rate(_ value: (Sample) -> Double?) -> Double? {
        guard let last = samples.last, let end = value(last),
            let first = samples.first(where: { value($0) != nil }), let begin = value(first)
        else { return nil }
        let seconds = first.time.duration(to: last.time) / .seconds(1)
        return seconds > 0 ? (end - begin) / seconds : nil
    }
}

extension ProgressEstimator.Sample {
    fileprivate func isAhead(of later: Self) -> Bool {
        if let fraction, let next = later.fraction, next < fraction { return true }
        if let units, let next = later.units, next < units { return true }
        return false
    }
}
