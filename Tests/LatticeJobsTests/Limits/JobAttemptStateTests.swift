import LatticeCore
import Testing

@testable import LatticeJobs

/// An attempt as an object, so that an expectation can change it.
private final class TestAttempt {
    var state: JobAttemptState

    init(
        _ limits: JobLimits,
        at start: ContinuousClock.Instant,
        _ phase: JobAttemptState.Phase = .running,
        cpuTime: Duration? = nil
    ) {
        state = JobAttemptState(limits, at: start, phase, cpuTime: cpuTime)
    }

    func check(at now: ContinuousClock.Instant, _ usage: JobAttemptState.Usage) -> JobAttemptState.Order? {
        state.check(at: now, usage)
    }

    func cancel(at now: ContinuousClock.Instant) -> JobAttemptState.Order? { state.cancel(at: now) }
}

struct JobAttemptStateTests {
    typealias State = JobAttemptState
    private static let start = ContinuousClock.now

    /// The time of a number of milliseconds after the start.
    private static func at(_ milliseconds: Int64) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    @Test(
        "An attempt that passes a limit ends its worker, with the value that it reached",
        arguments: [
            (
                JobLimits(wallTime: .seconds(1)), State.Usage(),
                PassedJobLimit.wallTime(reached: .seconds(2), limit: .seconds(1))
            ),
            (JobLimits(silence: .seconds(1)), State.Usage(), .silence(reached: .seconds(2), limit: .seconds(1))),
            (
                JobLimits(cpuTime: .seconds(1)), State.Usage(cpuTime: .seconds(6)),
                .cpuTime(reached: .seconds(3), limit: .seconds(1))
            ),
            (
                JobLimits(memoryBytes: 2 << 20), State.Usage(memoryBytes: 3 << 20),
                .memory(reached: 3 << 20, limit: 2 << 20)
            ),
        ]
    )
    func passed(limits: JobLimits, usage: State.Usage, passed: PassedJobLimit) {
        let attempt = TestAttempt(limits, at: Self.start, cpuTime: .seconds(3))
        #expect(attempt.check(at: Self.at(2000), usage) == .endWorker(.limit(passed)))
        #expect(attempt.state.stop == .limit(passed) && attempt.state.endsWorker)
        // Later inputs order nothing.
        #expect(attempt.check(at: Self.at(3000), usage) == nil && attempt.cancel(at: Self.at(3000)) == nil)
        #expect(attempt.state.nextCheck(after: Self.at(3000)) == nil)
    }

    @Test("The limits of an attempt that was sent ahead count from its begin")
    func ahead() {
        let limits = JobLimits(wallTime: .seconds(1), silence: .seconds(1))
        let attempt = TestAttempt(limits, at: Self.start, .ahead)
        #expect(attempt.check(at: Self.at(5000), State.Usage()) == nil)
        #expect(attempt.state.nextCheck(after: Self.at(5000)) == nil && !attempt.state.measures)
        attempt.state.begin(at: Self.at(5000))
        #expect(attempt.state.nextCheck(after: Self.at(5000)) == .seconds(1))
        #expect(attempt.check(at: Self.at(5999), State.Usage()) == nil)
        let passed = PassedJobLimit.wallTime(reached: .seconds(1), limit: .seconds(1))
        #expect(attempt.check(at: Self.at(6000), State.Usage()) == .endWorker(.limit(passed)))
    }

    @Test(
        "An attempt that is cancelled before it begins ends its worker if that says nothing in its time",
        arguments: [
            (Duration.zero, 250, false), (.zero, 250, true), (.seconds(2), 2000, false), (.seconds(2), 2000, true),
        ] as [(Duration, Int64, Bool)]
    )
    func cancelledAhead(gracePeriod: Duration, milliseconds: Int64, begins: Bool) {
        let attempt = TestAttempt(JobLimits(gracePeriod: gracePeriod), at: Self.start, .ahead)
        #expect(attempt.cancel(at: Self.at(0)) == .cancel && attempt.cancel(at: Self.at(1)) == nil)
        if begins { attempt.state.begin(at: Self.at(100)) }
        #expect(attempt.state.stop == .cancelled)
        #expect(attempt.check(at: Self.at(milliseconds - 1), State.Usage()) == nil)
        #expect(attempt.check(at: Self.at(milliseconds), State.Usage()) == .endWorker(.cancelled))
    }

    @Test(
        "An attempt whose worker is ended for another job passes no limit, and its cancellation orders nothing",
        arguments: [State.Phase.running, .ahead]
    )
    func interrupted(phase: State.Phase) {
        let attempt = TestAttempt(JobLimits(wallTime: .seconds(1)), at: Self.start, phase)
        attempt.state.interrupt()
        // The worker may begin it before it is gone.
        attempt.state.begin(at: Self.start)
        #expect(attempt.state.phase == .interrupted && attempt.state.stop == nil && !attempt.state.endsWorker)
        #expect(attempt.state.nextCheck(after: Self.at(0)) == nil)
        #expect(attempt.check(at: Self.at(2000), State.Usage()) == nil)
        #expect(attempt.cancel(at: Self.at(2000)) == nil && attempt.state.stop == .cancelled)
    }

    @Test("An attempt that is being stopped already keeps its own reason when its worker is ended for another job")
    func interruptedLate() {
        let attempt = TestAttempt(JobLimits(), at: Self.start)
        #expect(attempt.cancel(at: Self.at(0)) == .cancel)
        attempt.state.interrupt()
        #expect(attempt.state.stop == .cancelled && attempt.state.phase != .interrupted)
    }

    @Test("Within its limits an attempt continues, also without measurements")
    func within() {
        let limits = JobLimits(
            wallTime: .seconds(10),
            cpuTime: .seconds(1),
            memoryBytes: 2 << 20,
            silence: .seconds(1)
        )
        let attempt = TestAttempt(limits, at: Self.start, cpuTime: .seconds(3))
        attempt.state.reported(at: Self.at(1500))
        #expect(attempt.check(at: Self.at(2000), .init(cpuTime: .seconds(4), memoryBytes: 2 << 20)) == nil)
        #expect(attempt.check(at: Self.at(2000), .init()) == nil)
        #expect(attempt.state.phase == .running && attempt.state.measures)
    }

    @Test("The CPU time that a warm worker has used for other jobs is not taken for the attempt's")
    func warmWorker() {
        let attempt = TestAttempt(JobLimits(cpuTime: .seconds(1)), at: Self.start)
        #expect(attempt.check(at: Self.at(50), .init(cpuTime: .seconds(100))) == nil)
        attempt.state.begins(withCPUTime: .seconds(100))
        #expect(attempt.check(at: Self.at(100), .init(cpuTime: .seconds(101))) == nil)
        let passed = PassedJobLimit.cpuTime(reached: .seconds(2), limit: .seconds(1))
        #expect(attempt.check(at: Self.at(150), .init(cpuTime: .seconds(102))) == .endWorker(.limit(passed)))
    }

    @Test("A soft limit cancels first, and ends the worker after the grace period")
    func soft() {
        let limits = JobLimits(wallTime: .seconds(1), action: .cancelFirst, gracePeriod: .seconds(2))
        let passed = PassedJobLimit.wallTime(reached: .seconds(1), limit: .seconds(1))
        let attempt = TestAttempt(limits, at: Self.start)
        #expect(attempt.check(at: Self.at(1000), .init()) == .cancel)
        #expect(attempt.state.phase == .cancelling(.limit(passed), until: Self.at(3000)))
        #expect(attempt.state.nextCheck(after: Self.at(1000)) == .seconds(2))
        #expect(attempt.check(at: Self.at(2999), .init()) == nil)
        #expect(attempt.check(at: Self.at(3000), .init()) == .endWorker(.limit(passed)))
    }

    @Test("A cancellation ends the worker after the grace period, and at once if there is none")
    func cancelled() {
        let attempt = TestAttempt(JobLimits(gracePeriod: .seconds(2)), at: Self.start)
        #expect(attempt.cancel(at: Self.at(500)) == .cancel)
        #expect(attempt.cancel(at: Self.at(600)) == nil)
        #expect(attempt.check(at: Self.at(2500), .init()) == .endWorker(.cancelled))
        let hasty = TestAttempt(JobLimits(gracePeriod: .zero), at: Self.start)
        #expect(hasty.cancel(at: Self.at(500)) == .endWorker(.cancelled))
    }

    @Test("The next check is at the first limit that may pass, and often only if there is something to measure")
    func nextCheck() {
        let none = TestAttempt(JobLimits(), at: Self.start)
        #expect(none.state.nextCheck(after: Self.start) == nil)
        let timed = TestAttempt(JobLimits(wallTime: .seconds(10), silence: .seconds(3)), at: Self.start)
        #expect(timed.state.nextCheck(after: Self.at(1000)) == .seconds(2))
        timed.state.reported(at: Self.at(9000))
        #expect(timed.state.nextCheck(after: Self.at(9000)) == .seconds(1))
        let measured = TestAttempt(JobLimits(wallTime: .seconds(10), cpuTime: .seconds(1)), at: Self.start)
        #expect(measured.state.nextCheck(after: Self.start) == JobLimits.measuringInterval)
    }

    @Test(
        "Limits that no attempt could keep are refused",
        arguments: [
            JobLimits(wallTime: .zero), JobLimits(cpuTime: .milliseconds(9)), JobLimits(memoryBytes: 100),
            JobLimits(silence: .milliseconds(249)), JobLimits(gracePeriod: .seconds(-1)),
        ]
    )
    func invalid(limits: JobLimits) {
        let error = #expect(throws: JobError.self) { try limits.check() }
        #expect(error?.code == .invalid)
    }
}
