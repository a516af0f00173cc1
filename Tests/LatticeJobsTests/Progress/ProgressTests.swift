import LatticeCoding
import Testing

@testable import LatticeJobs

/// A merger as an object, so that an expectation can change it.
private final class TestMerger {
    var state = ReportMerger()

    func add(_ report: JobProgress, at now: ContinuousClock.Instant) -> Duration? { state.add(report, at: now) }
    func send(at now: ContinuousClock.Instant) -> (progress: JobProgress, number: UInt64)? { state.send(at: now) }
    func end() -> JobProgress? { state.end() }
}

struct ProgressTests {
    private static let start = ContinuousClock.now
    private static func at(_ milliseconds: Int64) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    @Test(
        "A report has a fraction from 0 to 1, which follows from its units",
        arguments: [
            (JobProgress(completedUnits: 1, totalUnits: 4), 0.25), (JobProgress(fraction: 2), 1),
            (JobProgress(fraction: -1), 0), (JobProgress(fraction: .nan), nil), (JobProgress(completedUnits: 3), nil),
            (JobProgress(completedUnits: 3, totalUnits: 0), nil), (JobProgress(completedUnits: -3, totalUnits: 2), 0),
        ] as [(JobProgress, Double?)]
    )
    func fractions(progress: JobProgress, fraction: Double?) {
        #expect(progress.fraction == fraction)
    }

    @Test("A line that is too long is cut off between two characters")
    func lines() {
        #expect(JobProgress(line: "short").line == "short")
        let line = JobProgress(line: "a" + String(repeating: "é", count: 600)).line
        #expect(line?.utf8.count == 1023)
    }

    @Test("The rate is that of the last 10 seconds, and the remaining time follows from it")
    func rates() {
        var estimator = ProgressEstimator()
        #expect(estimator.unitsPerSecond == nil && estimator.remainingTime == nil)
        // 10 units a second for 20 seconds, then 1 unit a second.
        var units: Int64 = 0
        for second in 0...20 {
            units = Int64(second) * 10
            estimator.add(JobProgress(completedUnits: units, totalUnits: 300), at: Self.at(Int64(second) * 1000))
            if second == 0 { #expect(estimator.unitsPerSecond == nil) }
        }
        let early = (estimator.remainingTime ?? .zero) / .seconds(1)
        #expect(estimator.unitsPerSecond == 10 && abs(early - 10) < 0.001)
        for second in 21...40 {
            units += 1
            estimator.add(JobProgress(completedUnits: units, totalUnits: 300), at: Self.at(Int64(second) * 1000))
        }
        #expect(estimator.unitsPerSecond == 1)
        let remaining = (estimator.remainingTime ?? .zero) / .seconds(1)
        #expect(abs(remaining - 80) < 0.001)
    }

    /// A report as another process may send it.
    private struct ForgedProgress: Codable {
        var fraction = Double.nan
        var completedUnits = Int64.min
        var totalUnits = Int64.min
        var line = String(repeating: "x", count: 5000)
    }

    @Test("A report of another process has the values that a report of this process can have")
    func forged() throws {
        let bytes = try CBOREncoder().encode(ForgedProgress())
        let progress = try CBORDecoder().decode(JobProgress.self, from: bytes)
        #expect(progress.fraction == nil && progress.completedUnits == 0 && progress.totalUnits == nil)
        #expect(progress.line?.utf8.count == JobProgress.maximumLineBytes)
        for report in [JobProgress(), JobProgress(fraction: 0.25), JobProgress(completedUnits: 1, totalUnits: 4)] {
            #expect(try CBORDecoder().decode(JobProgress.self, from: try CBOREncoder().encode(report)) == report)
        }
    }

    @Test("Work that went back is measured again, and complete work has no time left")
    func back() {
        var estimator = ProgressEstimator()
        estimator.add(JobProgress(fraction: 0.5), at: Self.at(0))
        estimator.add(JobProgress(fraction: 0.1), at: Self.at(1000))
        #expect(estimator.remainingTime == nil)
        estimator.add(JobProgress(fraction: 1), at: Self.at(2000))
        #expect(estimator.remainingTime == .zero)
    }

    @Test("The number of kept reports is limited, and stalled work has no remaining time")
    func manyReports() {
        var estimator = ProgressEstimator()
        for number in 0..<10_000 {
            estimator.add(JobProgress(completedUnits: Int64(number), totalUnits: 100_000), at: Self.at(Int64(number)))
        }
        let rate = estimator.unitsPerSecond ?? 0
        #expect(abs(rate - 1000) < 0.001)
        #expect(estimator.sampleCount <= ProgressEstimator.maximumSamples + 2)
        var stalled = ProgressEstimator()
        stalled.add(JobProgress(fraction: 0.5), at: Self.at(0))
        stalled.add(JobProgress(fraction: 0.5), at: Self.at(5000))
        #expect(stalled.remainingTime == nil)
    }

    @Test(
        "The first report is sent at once, later ones are merged until the interval has passed, and none after the end"
    )
    func merging() {
        let merger = TestMerger()
        #expect(merger.add(JobProgress(completedUnits: 1, totalUnits: 9), at: Self.at(0)) == .zero)
        #expect(merger.add(JobProgress(line: "one"), at: Self.at(0)) == nil)
        let first = merger.send(at: Self.at(1))
        #expect(first?.number == 1 && first?.progress.line == "one" && first?.progress.completedUnits == 1)
        #expect(merger.send(at: Self.at(1))?.number == nil)
        #expect(merger.add(JobProgress(line: "two"), at: Self.at(11)) == .milliseconds(40))
        #expect(merger.add(JobProgress(completedUnits: 2, totalUnits: 9), at: Self.at(20)) == nil)
        let second = merger.send(at: Self.at(51))
        #expect(second?.number == 2 && second?.progress.line == "two" && second?.progress.completedUnits == 2)
        #expect(merger.end()?.line == "two")
        #expect(
            merger.add(JobProgress(line: "three"), at: Self.at(60)) == nil
                && merger.send(at: Self.at(200))?.number == nil
        )
        let silent = TestMerger()
        #expect(silent.end() == nil)
    }
}
