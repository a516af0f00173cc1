import Foundation
import LatticeCore
import LatticeFaults
import LatticeJobs
import LatticeTestSupport
import Testing

@testable import actorhost

/// Tests a worker that loses its connection while it runs a job.
@Suite(.serialized, .timeLimit(.minutes(10))) struct CutWorkerTests {
    @Test("A worker that exits because its connection was cut costs its job one attempt, and the job is not to blame")
    func cut() async throws {
        // The lines that the job prints are more than the bytes before the fault.
        try await JobTests.withFarm(workers: 1, faults: FaultPlan([.reading(at: 3000, .cut)])) { farm, _ in
            let handle = try farm.submit(Drill(deed: .print(100_000)))
            for await _ in handle.lines {}
            let error = await #expect(throws: JobError.self) { try await handle.output }
            #expect(error?.code == .workerLost && error?.failures.map(\.endedWorker) == [false])
            #expect(error?.failures.map(\.cause) == [.workerLost(.exit(code: 0))])
            // A job that exits is to blame nevertheless, also in the next worker.
            let left = await #expect(throws: JobError.self) { try await farm.run(Drill(deed: .leave)) }
            #expect(left?.failures.map(\.cause) == [.workerEnded(.exit(code: 0))])
            _ = try await farm.run(Drill(deed: .nothing))
        }
    }
}

/// Tests workers that run several jobs at a time.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SharedWorkerTests {
    /// Lets three jobs wait in one worker, and then runs a body. If they begin again, they succeed.
    private static func withNeighbours(
        _ configuration: JobPoolConfiguration = JobPoolConfiguration(jobsPerWorker: 4),
        _ body: @Sendable @escaping (JobPool, [JobHandle<Drill>]) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            try await JobTests.withFarm(workers: 1, configuration) { farm, _ in
                let neighbours = try (1...3).map { number in
                    try farm.submit(Drill(deed: .waitOnce(file: "\(directory)/\(number)")))
                }
                for neighbour in neighbours {
                    for await status in neighbour.updates where status.progress.line == "waiting" { break }
                }
                #expect(farm.counts.running == 3 && farm.counts.workers == 1)
                try await body(farm, neighbours)
            }
        }
    }

    @Test("Of four jobs of a worker that crashes, only the one that crashes alone is set aside, and the others succeed")
    func crash() async throws {
        let options = JobOptions(retries: JobRetries(attempts: 5, initialDelay: .zero))
        try await Self.withNeighbours { farm, neighbours in
            let crashing = try farm.submit(Drill(deed: .crash(attempts: 9)), options: options)
            let good = try (1...12).map { _ in try farm.submit(Drill(deed: .report(100))) }
            let error = await #expect(throws: JobError.self) { try await crashing.output }
            #expect(error?.code == .setAside)
            // The death of the shared worker is no failure of any of its jobs.
            #expect(error?.failures.map(\.attempt) == [1, 2])
            #expect(error?.failures.allSatisfy { $0.endedWorker && $0.cause == .workerEnded(.signal(SIGABRT)) } == true)
            for handle in neighbours + good { _ = try await handle.output }
            #expect(farm.setAsideJobs.map(\.id) == [crashing.id])
        }
    }

    @Test("A job that passes its limit interrupts the others of its worker, and they begin again with all attempts")
    func limit() async throws {
        try await Self.withNeighbours { farm, neighbours in
            let limits = JobLimits(wallTime: .milliseconds(300))
            let error = await #expect(throws: JobError.self) {
                try await farm.run(Drill(deed: .spin), options: JobOptions(limits: limits))
            }
            #expect(error?.code == .limit && error?.failures.count == 1)
            #expect(error?.failures.first?.endedWorker == true)
            // Each may run once only, and none is suspected, so they share their worker again.
            for neighbour in neighbours { _ = try await neighbour.output }
            #expect(farm.setAsideJobs.isEmpty)
        }
    }

    @Test("A worker that is killed from outside costs each of its jobs an attempt, and none is to blame")
    func killed() async throws {
        try await Self.withNeighbours { farm, neighbours in
            let process = try await farm.run(Drill(deed: .nothing))
            kill(process, SIGKILL)
            for neighbour in neighbours {
                let error = await #expect(throws: JobError.self) { try await neighbour.output }
                #expect(error?.failures.map(\.cause) == [.workerLost(.signal(SIGKILL))])
                #expect(error?.failures.first?.endedWorker == false)
            }
        }
    }

    @Test("A program that is killed because a neighbour exits begins again, and has not failed")
    func killedPrograms() async throws {
        try await JobTests.withFarm(workers: 1, JobPoolConfiguration(jobsPerWorker: 4)) { farm, _ in
            for _ in 1...5 {
                let programs = try (1...3).map { _ in try farm.submit(ProgramJob.shell("sleep 0.3; echo done")) }
                for program in programs {
                    for await status in program.updates where status.phase == .running(attempt: 1) { break }
                }
                let error = await #expect(throws: JobError.self) { try await farm.run(Drill(deed: .leave)) }
                #expect(error?.failures.map(\.cause) == [.workerEnded(.exit(code: 0))])
                for program in programs { #expect(try await program.output.outputText == "done\n") }
            }
        }
    }

    @Test("A job with a limit of memory has a worker to itself, and waits until its worker is free")
    func measured() async throws {
        let last = Watched<JobHandle<Drill>?>(nil)
        try await Self.withNeighbours { farm, neighbours in
            let limits = JobLimits(memoryBytes: 256 << 20)
            let hogging = try farm.submit(Drill(deed: .hog), options: JobOptions(limits: limits))
            let later = try farm.submit(Drill(deed: .wait))
            #expect(farm.counts.running == 3 && farm.counts.waiting == 2)
            for neighbour in neighbours { neighbour.cancel() }
            let error = await #expect(throws: JobError.self) { try await hogging.output }
            #expect(error?.code == .limit && error?.failures.count == 1)
            for await status in later.updates where status.phase == .running(attempt: 1) { break }
            last.change { $0 = later }
        }
        let error = await #expect(throws: JobError.self) { try await last.value?.output }
        #expect(error?.code == .cancelled)
    }

    @Test("A cancelled job that kept a worker for itself lets the next ones begin")
    func cancelledBeforeItBegan() async throws {
        try await Self.withNeighbours { farm, _ in
            let limits = JobLimits(memoryBytes: 256 << 20)
            let hogging = try farm.submit(Drill(deed: .hog), options: JobOptions(limits: limits))
            let next = try farm.submit(Drill(deed: .nothing))
            #expect(farm.counts.waiting == 2)
            hogging.cancel()
            _ = try await next.output
        }
    }

    @Test("A worker that is replaced after some jobs ends its last ones first")
    func reuse() async throws {
        let configuration = JobPoolConfiguration(jobsPerWorker: 4, reuse: .jobs(5))
        try await JobTests.withFarm(workers: 1, configuration) { farm, _ in
            let handles = try (1...40).map { _ in try farm.submit(Drill(deed: .report(50))) }
            var processes: Set<Int32> = []
            for handle in handles { processes.insert(try await handle.output) }
            // A worker that is to be replaced may have three more jobs.
            #expect(5...8 ~= processes.count, "\(processes)")
        }
    }
}
