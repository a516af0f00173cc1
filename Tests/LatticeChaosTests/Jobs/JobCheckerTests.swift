import Glibc
import LatticeCore
import Testing

@testable import LatticeChaos
@testable import LatticeJobs

/// Each promise that a round of jobs may break, and what is said then.
@Suite struct JobCheckerTests {
    struct Story: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var deed = ChaosDeed.answer
        var end = ChaosJobRecord.End.returned(isRight: true)
        var begun = [1]
        var cancelTime: Duration?
        var hasOtherStatus = false
        var hasFaults = true
        var violations: [String] = []
    }

    private static func failure(_ cause: JobFailure.Cause, _ duration: Duration = .zero, attempt: Int = 1) -> JobFailure
    {
        JobFailure(attempt: attempt, cause: cause, duration: duration, endedWorker: true, report: nil)
    }

    private static func limited(
        _ passed: PassedJobLimit,
        _ duration: Duration,
        endDelay: Duration? = nil
    ) -> ChaosJobRecord.End {
        var failure = failure(.limit(passed), duration)
        failure.endDelay = endDelay
        return .failed(.limit, [failure])
    }

    private static let lost = failure(.workerLost(.signal(SIGKILL)))
    private static let cut = failure(.workerLost(.exit(code: 0)))
    private static let crash = failure(.workerEnded(.signal(SIGABRT)), attempt: 2)
    private static let limit: Duration = .milliseconds(200)

    static let stories: [Story] = [
        Story(testDescription: "a good job returns its output"),
        Story(testDescription: "a job was lost with a worker and ran again", begun: [1, 2, 4]),
        Story(testDescription: "a job ends its worker", deed: .crash, end: .failed(.workerEnded, [lost, crash])),
        Story(
            testDescription: "a job passes its limit in time",
            deed: .hang,
            end: limited(.wallTime(reached: limit, limit: limit), .milliseconds(700))
        ),
        Story(
            testDescription: "a job leaks as much as it can until it is ended",
            deed: .leak,
            end: limited(.memory(reached: ChaosDeed.memoryBytes + 500 << 20, limit: ChaosDeed.memoryBytes), .seconds(9))
        ),
        Story(
            testDescription: "a job is cancelled in time",
            deed: .cancelled,
            end: .failed(.cancelled, nil),
            cancelTime: .milliseconds(700)
        ),
        Story(
            testDescription: "a job never ends",
            end: .never,
            violations: ["(answer) never ended, which is impossible"]
        ),
        Story(
            testDescription: "a job returns the output of another one",
            end: .returned(isRight: false),
            violations: ["(answer) returned another output"]
        ),
        Story(
            testDescription: "a good job fails",
            end: .failed(.workerLost, [lost]),
            violations: [
                "(answer) ended with the code workerLost; Attempt 1 failed: the worker was killed by signal 9 (SIGKILL).,"
                    + " which is impossible"
            ]
        ),
        Story(
            testDescription: "a bad job succeeds",
            deed: .exit,
            violations: ["(exit) returned, which is impossible"]
        ),
        Story(
            testDescription: "a job that ended its worker in one way is said to have done so in another one",
            deed: .fault,
            end: .failed(.workerEnded, [failure(.workerEnded(.exit(code: 3)))]),
            violations: [
                "(fault) ended with the code workerEnded; Attempt 1 failed: the job ended its worker, which exited with"
                    + " code 3., but its worker killed by signal 11 (SIGSEGV)"
            ]
        ),
        Story(
            testDescription: "a limit ends a job too late",
            deed: .hang,
            end: limited(.wallTime(reached: limit, limit: limit), .milliseconds(701)),
            violations: [
                "(hang) ended 0.701 seconds after its start, 0.2 seconds and 0.5 seconds of patience were expected"
            ]
        ),
        Story(
            testDescription: "a limit of CPU time ends a job too late",
            deed: .spin,
            end: limited(.cpuTime(reached: .milliseconds(651), limit: .milliseconds(100)), .seconds(9)),
            violations: [
                "(spin) ended 0.651 seconds after its start, in CPU time, 0.1 seconds and 0.5 seconds of patience were"
                    + " expected"
            ]
        ),
        Story(
            testDescription: "a limit of memory ends a job too late",
            deed: .leak,
            end: limited(.memory(reached: 800 << 20, limit: ChaosDeed.memoryBytes), .seconds(9)),
            violations: ["(leak) had 838860800 bytes of memory before it ended, and its limit is 201326592"]
        ),
        Story(
            testDescription: "a job that passed a limit of CPU time in time lives on",
            deed: .spin,
            end: limited(
                .cpuTime(reached: .milliseconds(120), limit: .milliseconds(100)),
                .seconds(9),
                endDelay: .milliseconds(501)
            ),
            violations: [
                "(spin) ended 0.501 seconds after it had passed its limit, and 0.5 seconds of patience were expected"
            ]
        ),
        Story(
            testDescription: "a job that passed a limit of memory ends in time",
            deed: .leak,
            end: limited(
                .memory(reached: 200 << 20, limit: ChaosDeed.memoryBytes),
                .seconds(9),
                endDelay: .milliseconds(500)
            )
        ),
        Story(
            testDescription: "a job passes another limit than its own",
            deed: .silence,
            end: limited(.wallTime(reached: limit, limit: limit), limit),
            violations: [
                "(silence) ended with the code limit; Attempt 1 failed: the job ran for 0.2 seconds, and its limit is 0.2"
                    + " seconds., but its limit is the one of silence"
            ]
        ),
        Story(
            testDescription: "a cancelled job ends too late",
            deed: .cancelled,
            end: .failed(.cancelled, nil),
            cancelTime: .milliseconds(701),
            violations: [
                "(cancelled) ended 0.701 seconds after its cancellation, 0.2 seconds and 0.5 seconds of patience were"
                    + " expected"
            ]
        ),
        Story(
            testDescription: "a job is cancelled, and no caller has done so",
            deed: .cancelled,
            end: .failed(.cancelled, nil),
            violations: ["(cancelled) was cancelled, but not by its caller"]
        ),
        Story(
            testDescription: "a worker is lost although there are no faults",
            deed: .crash,
            end: .failed(.workerEnded, [lost, crash]),
            hasFaults: false,
            violations: [
                "(crash) has a failure that nothing explains: Attempt 1 failed: the worker was killed by signal 9"
                    + " (SIGKILL)."
            ]
        ),
        Story(
            testDescription: "a job has an output and has never begun",
            begun: [],
            violations: ["(answer) returned an output, and has never begun"]
        ),
        Story(
            testDescription: "a worker whose connection was cut exits, and its job runs again",
            deed: .exit,
            end: .failed(.workerEnded, [cut, failure(.workerEnded(.exit(code: 0)), attempt: 2)]),
            begun: [1, 2]
        ),
        Story(
            testDescription: "a good job is blamed for a worker whose connection was cut",
            end: .failed(.workerEnded, [failure(.workerEnded(.exit(code: 0)))]),
            violations: [
                "(answer) ended with the code workerEnded; Attempt 1 failed: the job ended its worker, which exited with"
                    + " code 0., which is impossible"
            ]
        ),
        Story(
            testDescription: "a job is blamed for the exit of a worker in which it has not begun",
            deed: .exit,
            end: .failed(.workerEnded, [failure(.workerEnded(.exit(code: 0)))]),
            begun: [],
            violations: ["(exit) ended its worker, and has never begun"]
        ),
        Story(
            testDescription: "a job begins again without a failure",
            deed: .crash,
            end: .failed(.workerEnded, [crash]),
            begun: [1, 2],
            violations: ["(crash) has begun 2 times, and failed 1 times"]
        ),
        Story(
            testDescription: "a job ends, and its status does not",
            hasOtherStatus: true,
            violations: ["(answer) ended, and its last status says something else"]
        ),
    ]

    @Test("Each broken guarantee is found, and nothing else", arguments: stories)
    func violations(story: Story) {
        let job = ChaosJob(identifier: .init(caller: 0, number: 5), deed: story.deed)
        let checker = JobChecker(
            records: [
                ChaosJobRecord(
                    job: job,
                    end: story.end,
                    cancelTime: story.cancelTime,
                    hasOtherStatus: story.hasOtherStatus
                )
            ],
            logs: [story.begun.map { ChaosJob.Attempt(job: job.identifier, attempt: $0) }],
            hasFaults: story.hasFaults,
            patience: ChaosPace.quiet.limitPatience
        )
        #expect(checker.violations() == story.violations.map { "job 0.5 " + $0 })
    }

    @Test(
        "A delay of the machine makes the checker more patient, up to a bound",
        arguments: [(0, 500), (100, 900), (9000, 2500)]
    )
    func patience(delay: Int, expected: Int) {
        let patience = WakeDelay.patience(.milliseconds(500), with: .milliseconds(delay))
        #expect(patience == .milliseconds(expected))
    }

    @Test(
        "An attempt may begin again as often as others interrupt it, if jobs share workers",
        arguments: [(1, false), (JobPoolConfiguration.maximumInterruptions + 1, false), (5, true)]
    )
    func interruptions(begins: Int, isViolation: Bool) {
        let job = ChaosJob.Identifier(caller: 0, number: 5)
        let checker = JobChecker(
            records: [ChaosJobRecord(job: ChaosJob(identifier: job, deed: .answer), end: .returned(isRight: true))],
            logs: [Array(repeating: .init(job: job, attempt: 1), count: begins)],
            sharesWorkers: true,
            patience: .seconds(1)
        )
        #expect(checker.violations().isEmpty == !isViolation)
    }

    @Test(
        "A job may be cancelled after others have interrupted its attempt, if jobs share workers",
        arguments: [
            (true, JobError.Code.cancelled, 1, false), (true, .cancelled, 2, true), (false, .cancelled, 1, true),
            (true, .threw, 1, true),
        ]
    )
    func interruptedAndCancelled(sharesWorkers: Bool, code: JobError.Code, begins: Int, isViolation: Bool) {
        let job = ChaosJob(identifier: .init(caller: 0, number: 5), deed: code == .threw ? .refuse : .cancelled)
        let checker = JobChecker(
            records: [ChaosJobRecord(job: job, end: .failed(code, []))],
            logs: [(0..<begins).map { .init(job: job.identifier, attempt: 1 + $0) }],
            sharesWorkers: sharesWorkers,
            patience: .seconds(1)
        )
        let violation = "job 0.5 (\(job.deed.rawValue)) has begun \(begins) times, and failed 0 times"
        #expect(checker.violations().contains(violation) == isViolation)
    }

    @Test("An attempt that begins twice, and a job that was never made, are found in the logs of the workers")
    func logs() {
        let (made, killed) = (ChaosJob.Identifier(caller: 0, number: 5), ChaosJob.Identifier(caller: 2, number: 1))
        let stranger = ChaosJob.Identifier(caller: 2, number: 9)
        let first = ChaosJob.Attempt(job: made, attempt: 1)
        let checker = JobChecker(
            records: [ChaosJobRecord(job: ChaosJob(identifier: made, deed: .answer), end: .returned(isRight: true))],
            unknown: [ChaosJob(identifier: killed, deed: .answer)],
            logs: [[first], [.init(job: killed, attempt: 1), first, .init(job: stranger, attempt: 1)]],
            patience: .seconds(1)
        )
        #expect(
            checker.violations() == [
                "attempt 0.5.1 has begun 2 times", "job 2.9 has begun, and was never made",
            ]
        )
    }
}
