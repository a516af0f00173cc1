import Foundation
import LatticeCoordinator
import LatticeCore
import LatticeJobs
import LatticeTestSupport
import Testing

@testable import actorhost

/// Tests jobs that are sent to workers ahead, behind short ones, in real workers.
@Suite(.serialized, .timeLimit(.minutes(10))) struct JobsAheadTests {
    @Test(
        "Among many short jobs that crash, exit or throw, each bad one is blamed once per attempt, and only those"
    )
    func blame() async throws {
        let options = JobOptions(retries: JobRetries(attempts: 2, initialDelay: .zero, maximumEndedWorkers: 9))
        try await JobTests.withFarm(JobPoolConfiguration(options: options)) { farm, _ in
            let deeds: [Drill.Deed] = [.crash(attempts: 9), .crash(attempts: 1), .leave, .refuse("no paper")]
            let jobs = try (0..<600).map { number in
                let isBad = number % 30 == 29
                let deed = isBad ? deeds[number / 30 % deeds.count] : .nothing
                return (try farm.submit(Drill(deed: deed)), isBad ? number / 30 % deeds.count : nil)
            }
            for (handle, bad) in jobs {
                guard let bad, bad != 1 else {
                    _ = try await handle.output
                    continue
                }
                let error = await #expect(throws: JobError.self) { try await handle.output }
                #expect(error?.code == (bad == 3 ? .threw : .workerEnded))
                #expect(error?.failures.map(\.attempt) == [1, 2])
            }
            #expect(farm.counts.running == 0 && farm.counts.waiting == 0)
        }
    }

    @Test("A job behind one that turns out to be long runs at another worker, and has begun once")
    func long() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/lines"
            try await JobTests.withFarm { farm, _ in
                for _ in 0..<20 { _ = try await farm.run(Drill(deed: .nothing)) }
                let short = try (0..<50).map { _ in try farm.submit(Drill(deed: .nothing)) }
                let long = try farm.submit(Drill(deed: .wait))
                let rest = try (0..<50).map { try farm.submit(Drill(deed: .write("\($0)", to: path))) }
                for handle in short + rest { _ = try await handle.output }
                #expect(long.status.phase == .running(attempt: 1))
                let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
                #expect(lines.count == 50 && Set(lines).count == 50)
                long.cancel()
            }
        }
    }

    @Test("Jobs that are cancelled at any time end once, and those that are not all succeed")
    func cancelled() async throws {
        try await JobTests.withFarm { farm, _ in
            for _ in 0..<20 {
                let handles = try (0..<50).map { _ in try farm.submit(Drill(deed: .nothing)) }
                for handle in handles.prefix(40) where handle.id.number % 2 == 0 { handle.cancel() }
                for handle in handles {
                    do {
                        _ = try await handle.output
                    } catch let error as JobError {
                        #expect(error.code == .cancelled && handle.id.number % 2 == 0)
                    }
                }
            }
            #expect(farm.counts.running == 0 && farm.counts.waiting == 0)
        }
    }

    @Test("No job begins after a pause has reached the workers, and all end after it resumes")
    func paused() async throws {
        try await JobTests.withFarm { farm, _ in
            var handles = try (0..<2000).map { _ in try farm.submit(Drill(deed: .nothing)) }
            try await poll { farm.counts.waiting < 1500 }
            farm.pause()
            handles.append(try farm.submit(Drill(deed: .nothing)))
            try await poll { farm.counts.running == 0 }
            let waiting = farm.counts.waiting
            #expect(waiting > 0 && handles.count { $0.status.phase == .waiting } == waiting)
            farm.resume()
            for handle in handles { _ = try await handle.output }
        }
    }

    @Test("While workers join and leave between short jobs, each job runs once")
    func workersLeave() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/lines"
            try await JobTests.withFarm { farm, coordinator in
                let handles = try (0..<2000).map { try farm.submit(Drill(deed: .write("\($0)", to: path))) }
                for number in 1...6 {
                    try await poll { farm.counts.waiting < 2000 - number * 250 }
                    try coordinator.setWorkers(of: "farm", to: number % 2 == 0 ? 2 : 1)
                }
                for handle in handles { _ = try await handle.output }
                let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
                #expect(lines.count == 2000 && Set(lines).count == 2000)
            }
        }
    }

    @Test("A worker that is killed for a job which passes its limit costs no short job beside it an attempt")
    func limit() async throws {
        try await JobTests.withFarm { farm, _ in
            let limits = JobOptions(limits: JobLimits(wallTime: .milliseconds(20), gracePeriod: .zero))
            for _ in 0..<5 {
                let short = try (0..<100).map { _ in try farm.submit(Drill(deed: .nothing)) }
                let spinning = try farm.submit(Drill(deed: .spin), options: limits)
                let rest = try (0..<100).map { _ in try farm.submit(Drill(deed: .nothing)) }
                for handle in short + rest { _ = try await handle.output }
                let error = await #expect(throws: JobError.self) { try await spinning.output }
                #expect(error?.code == .limit)
            }
        }
    }

    @Test(
        "A job that was sent ahead to a worker which stops is cancelled in its time, and the one before it runs again"
    )
    func stopped() async throws {
        try await withTemporaryDirectory { directory in
            try await JobTests.withFarm(workers: 1) { farm, _ in
                let limits = JobOptions(limits: JobLimits(gracePeriod: .milliseconds(300)))
                for number in 0..<50 {
                    let worker = try await farm.run(Drill(deed: .nothing))
                    farm.pause()
                    let first = try farm.submit(Drill(deed: .stopOnce(file: directory + "/\(number)")))
                    let second = try farm.submit(Drill(deed: .nothing), options: limits)
                    farm.resume()
                    waitUntilStopped(worker)
                    second.cancel()
                    let error = await #expect(throws: JobError.self) { try await second.output }
                    #expect(error?.code == .cancelled)
                    kill(worker, SIGCONT)
                    // The second was sent ahead if the job before both was short, which most are.
                    if try await first.output != worker { return }
                }
                Issue.record("none of 50 jobs was sent ahead")
            }
        }
    }
}
