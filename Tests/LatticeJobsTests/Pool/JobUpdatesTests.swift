import LatticeConcurrency
import Testing

@testable import LatticeJobs

@Suite(.timeLimit(.minutes(10))) struct JobUpdatesTests {
    @Test("A reader gets the present status, then the newest one, and the sequence ends with the job")
    func newest() async {
        let box = JobStatusBox()
        var updates = JobUpdates(box: box).makeAsyncIterator()
        let first = await updates.next()
        #expect(first?.phase == .waiting)
        for attempt in 1...3 { box.update { $0.phase = .running(attempt: attempt) }?.complete(()) }
        let second = await updates.next()
        #expect(second?.phase == .running(attempt: 3))
        box.update { $0.phase = .succeeded }?.complete(())
        let last = await updates.next()
        #expect(last?.phase == .succeeded)
        let end = await updates.next()
        #expect(end == nil)
    }

    @Test("A reader that waits gets the next status")
    func waiting() async {
        let box = JobStatusBox()
        let reader = Task {
            var phases: [JobStatus.Phase] = []
            for await status in JobUpdates(box: box) { phases.append(status.phase) }
            return phases
        }
        box.update { $0.phase = .failed }?.complete(())
        let phases = await reader.value
        #expect(phases.last == .failed && phases.count <= 2)
    }

    @Test("A cancelled reader stops waiting")
    func cancelled() async {
        let box = JobStatusBox()
        let reader = Task {
            var count = 0
            for await _ in JobUpdates(box: box) { count += 1 }
            return count
        }
        reader.cancel()
        let count = await reader.value
        #expect(count <= 1)
    }

    @Test("Jobs that were set aside are found by identity and type, and the oldest is dropped at the limit")
    func setAside() throws {
        var jobs = SetAsideJobs(maximum: 2)
        for number in 1...3 as ClosedRange<UInt64> {
            jobs.add(SetAsideJob(id: JobID(number), name: "drill", options: JobOptions(), failures: [], input: []))
        }
        #expect(jobs.jobs.map(\.id.number) == [2, 3])
        let unknown = #expect(throws: JobError.self) { _ = try jobs.remove(JobID(1)) }
        let other = #expect(throws: JobError.self) { _ = try jobs.remove(JobID(2), named: "other") }
        #expect(unknown?.code == .invalid && other?.code == .invalid)
        _ = try jobs.remove(JobID(2), named: "drill")
        #expect(jobs.jobs.map(\.id.number) == [3])
    }

    @Test(
        "Settings of a pool that no pool could keep are refused",
        arguments: [
            JobPoolConfiguration(width: 0), JobPoolConfiguration(maximumWaiting: 0),
            JobPoolConfiguration(maximumSetAside: 0),
            JobPoolConfiguration(options: JobOptions(retries: JobRetries(attempts: 0))),
        ]
    )
    func invalid(configuration: JobPoolConfiguration) {
        let error = #expect(throws: JobError.self) { try configuration.check() }
        #expect(error?.code == .invalid)
    }
}
