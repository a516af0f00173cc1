import LatticeCore
import Testing

@testable import LatticeJobs

struct JobRetriesTests {
    private static func failure(_ cause: JobFailure.Cause, attempt: Int = 1, endedWorker: Bool = false) -> JobFailure {
        JobFailure(attempt: attempt, cause: cause, duration: .zero, endedWorker: endedWorker, report: nil)
    }

    private static func next(_ retries: JobRetries, _ failure: JobFailure, endedWorkers: Int = 0) -> JobRetries.Next {
        var generator = SeededGenerator(seed: 1)
        return retries.next(after: failure, endedWorkers: endedWorkers, using: &generator)
    }

    private static let causes: [(JobFailure.Cause, JobRetries.Causes)] = [
        (.threw(type: "Missing", text: "no file"), .thrown),
        (.limit(.memory(reached: 2, limit: 1)), .limit),
        (.workerEnded(.signal(11)), .workerEnded),
        (.workerLost(.signal(9)), .workerLost),
    ]

    @Test("A failure is retried if its cause counts and attempts are left")
    func counts() {
        for (cause, kind) in Self.causes {
            let retries = JobRetries(attempts: 2, initialDelay: .zero, after: kind)
            #expect(Self.next(retries, Self.failure(cause)) == .retry(after: .zero))
            #expect(Self.next(retries, Self.failure(cause, attempt: 2)) == .fail)
            let others = JobRetries(attempts: 2, initialDelay: .zero, after: JobRetries.Causes.all.subtracting(kind))
            #expect(Self.next(others, Self.failure(cause)) == .fail)
        }
    }

    @Test(
        "A cancelled job and one that no worker can run are not retried",
        arguments: [JobFailure.Cause.cancelled, .call("unknown")]
    )
    func never(cause: JobFailure.Cause) {
        #expect(Self.next(JobRetries(attempts: 9), Self.failure(cause)) == .fail)
    }

    @Test("A job that ended as many workers as it may is set aside, whatever its attempts")
    func setAside() {
        let crash = Self.failure(.workerEnded(.signal(11)), endedWorker: true)
        let retries = JobRetries(attempts: 9, initialDelay: .zero, maximumEndedWorkers: 3)
        #expect(Self.next(retries, crash, endedWorkers: 2) == .retry(after: .zero))
        #expect(Self.next(retries, crash, endedWorkers: 3) == .setAside)
        // What ends no worker does not set it aside.
        let error = Self.failure(.threw(type: "Missing", text: ""))
        #expect(Self.next(retries, error, endedWorkers: 2) == .retry(after: .zero))
    }

    @Test("The delay doubles up to its maximum, with a fifth of chance")
    func delays() {
        let retries = JobRetries(attempts: 9, initialDelay: .seconds(1), maximumDelay: .seconds(3))
        for (attempt, expected) in [(1, 1.0), (2, 2.0), (3, 3.0), (8, 3.0)] {
            let next = Self.next(retries, Self.failure(.workerLost(.signal(9)), attempt: attempt))
            guard case .retry(let delay) = next else {
                Issue.record("no retry: \(next)")
                return
            }
            #expect(delay / .seconds(1) >= expected * 0.8 && delay / .seconds(1) <= min(expected * 1.2, 3))
        }
    }

    @Test(
        "Rules that make no sense are refused",
        arguments: [
            JobRetries(attempts: 0), JobRetries(attempts: 1001), JobRetries(initialDelay: .seconds(-1)),
            JobRetries(maximumEndedWorkers: 0),
        ]
    )
    func invalid(retries: JobRetries) {
        let error = #expect(throws: JobError.self) { try retries.check() }
        #expect(error?.code == .invalid)
    }

    @Test("An error names the job, the attempts, and what the job did")
    func text() {
        let failures = [
            Self.failure(.workerLost(.signal(9))),
            Self.failure(
                .limit(.wallTime(reached: .milliseconds(1003), limit: .seconds(1))),
                attempt: 2,
                endedWorker: true
            ),
        ]
        let error = JobError.failed("compress", failures, isSetAside: false)
        #expect(
            error.message
                == "The job \"compress\" failed after 2 attempts: the job ran for 1.003 seconds, and its limit is 1.0"
                + " seconds. Raise the limit, or divide the work into smaller jobs."
        )
        #expect(failures[0].description == "Attempt 1 failed: the worker was killed by signal 9 (SIGKILL).")
    }
}
