import Foundation
import LatticeActors
import LatticeClient
import LatticeCoordinator
import LatticeCore
import LatticeFaults
import LatticeJobs
import LatticeTestSupport
import Testing

@testable import actorhost

/// Tests jobs in real workers. The worker's program is `actorhost`.
@Suite(.serialized, .timeLimit(.minutes(10))) struct JobTests {
    static func withFarm(
        workers: Int = 2,
        listeningAt path: String? = nil,
        faults: FaultPlan = FaultPlan([]),
        _ configuration: JobPoolConfiguration = JobPoolConfiguration(),
        _ body: @Sendable @escaping (JobPool, Coordinator) async throws -> Void
    ) async throws {
        var settings = EndToEndTests.configuration(workers: Programs.path("actorhost"))
        settings.groups = [WorkerGroup("farm", workers: workers)]
        // One death that counts would end the group.
        settings.restart.intensity.restarts = 0
        settings.restart.probeDelay = nil
        _ = settings.inject(faults, into: .group("farm"))
        try await withCoordinator(listeningAt: path, configuration: settings) { coordinator in
            let system = LatticeActorSystem(coordinator)
            system.register(errors: Drill.Refusal.self)
            try await system.withJobPool(of: "farm", in: coordinator, configuration: configuration) { farm in
                try await body(farm, coordinator)
            }
        }
    }

    @Test("A job returns its output or throws its error, and a worker runs many jobs")
    func outputs() async throws {
        try await Self.withFarm { farm, _ in
            var processes: Set<Int32> = []
            for _ in 1...20 { processes.insert(try await farm.run(Drill(deed: .nothing))) }
            #expect(!processes.isEmpty && processes.count <= 2)
            let error = await #expect(throws: JobError.self) { try await farm.run(Drill(deed: .refuse("no paper"))) }
            #expect(error?.code == .threw && error?.cause as? Drill.Refusal == Drill.Refusal(reason: "no paper"))
            #expect(error?.failures.count == 1)
        }
    }

    @Test("A job that crashes ends only its own worker, and the error has the cause and the worker's last output")
    func crash() async throws {
        try await Self.withFarm { farm, _ in
            let neighbour = try farm.submit(Drill(deed: .wait))
            let error = await #expect(throws: JobError.self) { try await farm.run(Drill(deed: .crash(attempts: 9))) }
            #expect(error?.code == .workerEnded)
            #expect(error?.failures.first?.cause == .workerEnded(.signal(SIGABRT)))
            #expect(error?.failures.first?.endedWorker == true && error?.failures.first?.report != nil)
            // The worker was replaced, although its group may not restart any worker.
            let left = await #expect(throws: JobError.self) { try await farm.run(Drill(deed: .leave)) }
            #expect(left?.failures.first?.cause == .workerEnded(.exit(code: 0)))
            _ = try await farm.run(Drill(deed: .nothing))
            #expect(neighbour.status.phase == .running(attempt: 1))
            neighbour.cancel()
            let cancelled = await #expect(throws: JobError.self) { try await neighbour.output }
            #expect(cancelled?.code == .cancelled)
        }
    }

    @Test("A job that spins with blocked signals is ended by its wall limit, while its neighbour's job succeeds")
    func spin() async throws {
        try await Self.withFarm { farm, _ in
            let limits = JobLimits(wallTime: .milliseconds(300))
            let spinning = try farm.submit(Drill(deed: .spin), options: JobOptions(limits: limits))
            let process = try await farm.run(Drill(deed: .report(1000)))
            let error = await #expect(throws: JobError.self) { try await spinning.output }
            #expect(error?.code == .limit)
            guard case .limit(.wallTime(let reached, .milliseconds(300))) = error?.failures.first?.cause else {
                Issue.record("another cause: \(String(describing: error))")
                return
            }
            #expect(reached >= .milliseconds(300))
            #expect(error?.message.contains("and its limit is 0.3 seconds") == true)
            // Of two jobs that run at once, one runs in the neighbour's worker, which has survived.
            let first = try farm.submit(Drill(deed: .wait))
            let second = try farm.submit(Drill(deed: .wait))
            for await status in first.updates where status.phase == .running(attempt: 1) { break }
            for await status in second.updates where status.phase == .running(attempt: 1) { break }
            #expect(isThere(process))
        }
    }

    @Test(
        "A job that passes its limit of CPU time or memory, or is silent, is ended, and the error names the limit",
        arguments: [
            (Drill.Deed.spin, JobLimits(cpuTime: .milliseconds(200)), "CPU time"),
            (.hog, JobLimits(memoryBytes: 256 << 20), "memory"),
            (.wait, JobLimits(silence: .milliseconds(300)), "silence"),
        ]
    )
    func limits(deed: Drill.Deed, limits: JobLimits, name: String) async throws {
        try await Self.withFarm(workers: 1) { farm, _ in
            let options = JobOptions(limits: limits)
            let error = await #expect(throws: JobError.self) { try await farm.run(Drill(deed: deed), options: options) }
            #expect(error?.code == .limit && error?.failures.first?.endedWorker == true)
            guard case .limit(let passed) = error?.failures.first?.cause else {
                Issue.record("another cause: \(String(describing: error))")
                return
            }
            #expect(passed.name == name)
            _ = try await farm.run(Drill(deed: .nothing))
        }
    }

    @Test("A soft limit and a cancellation cancel a job first, and end its worker after the grace period")
    func grace() async throws {
        try await Self.withFarm(workers: 1) { farm, _ in
            let limits = JobLimits(
                wallTime: .milliseconds(200),
                action: .cancelFirst,
                gracePeriod: .milliseconds(200)
            )
            let process = try await farm.run(Drill(deed: .nothing))
            let soft = await #expect(throws: JobError.self) {
                try await farm.run(
                    Drill(deed: .wait),
                    options: JobOptions(
                        limits: JobLimits(
                            wallTime: .milliseconds(200),
                            action: .cancelFirst,
                            gracePeriod: .seconds(60)
                        )
                    )
                )
            }
            #expect(soft?.code == .limit && soft?.failures.first?.endedWorker == false)
            let same = try await farm.run(Drill(deed: .nothing))
            #expect(same == process)
            let hard = await #expect(throws: JobError.self) {
                try await farm.run(Drill(deed: .spin), options: JobOptions(limits: limits))
            }
            #expect(hard?.code == .limit && hard?.failures.first?.endedWorker == true)
            let spinning = try farm.submit(
                Drill(deed: .spin),
                options: JobOptions(limits: JobLimits(gracePeriod: .milliseconds(100)))
            )
            for await status in spinning.updates where status.phase == .running(attempt: 1) { break }
            spinning.cancel()
            let cancelled = await #expect(throws: JobError.self) { try await spinning.output }
            #expect(cancelled?.code == .cancelled)
            let waiting = Task { try await farm.run(Drill(deed: .wait)) }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
    }

    @Test("A job is retried after a crash, set aside when it ended too many workers, listed, retried and dropped")
    func retries() async throws {
        let options = JobOptions(retries: JobRetries(attempts: 5, initialDelay: .zero))
        try await Self.withFarm(JobPoolConfiguration(options: options)) { farm, _ in
            _ = try await farm.run(Drill(deed: .crash(attempts: 1)))
            let handle = try farm.submit(Drill(deed: .crash(attempts: 9)))
            let error = await #expect(throws: JobError.self) { try await handle.output }
            #expect(error?.code == .setAside && error?.failures.count == 2)
            #expect(farm.setAsideJobs.map(\.id) == [handle.id] && farm.setAsideJobs.first?.name == "drill")
            let again = try farm.retry(handle.id, as: Drill.self)
            #expect(farm.setAsideJobs.isEmpty)
            _ = await #expect(throws: JobError.self) { try await again.output }
            #expect(farm.setAsideJobs.map(\.id) == [again.id])
            try farm.drop(again.id)
            #expect(farm.counts.setAside == 0)
        }
    }

    @Test("A worker that is killed from outside costs its job one attempt, and the job is not to blame")
    func killedWorker() async throws {
        let options = JobOptions(retries: JobRetries(attempts: 2, initialDelay: .zero, after: .workerLost))
        try await Self.withFarm(workers: 1, JobPoolConfiguration(options: options)) { farm, _ in
            let process = try await farm.run(Drill(deed: .nothing))
            let handle = try farm.submit(Drill(deed: .wait))
            for await status in handle.updates where status.progress.line == "waiting" { break }
            kill(process, SIGKILL)
            for await status in handle.updates where status.phase == .running(attempt: 2) { break }
            handle.cancel()
            let error = await #expect(throws: JobError.self) { try await handle.output }
            #expect(error?.failures.first?.cause == .workerLost(.signal(SIGKILL)))
            #expect(error?.failures.first?.endedWorker == false && error?.code == .cancelled)
        }
    }

    @Test("Progress reaches the handle, and its last report arrives before the output")
    func progress() async throws {
        try await Self.withFarm { farm, _ in
            let handle = try farm.submit(Drill(deed: .report(10_000)))
            var last = handle.status
            for await status in handle.updates { last = status }
            #expect(last.phase == .succeeded && last.progress.fraction == 1)
            #expect(last.progress.completedUnits == 10_000 && last.progress.line == "unit 10000")
        }
    }

    @Test("Jobs of one worker run in the order of their priorities, and those of one priority in their order")
    func order() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/lines"
            try await Self.withFarm(workers: 1) { farm, _ in
                let first = try farm.submit(Drill(deed: .wait))
                let rest = try [("c", 0), ("d", 0), ("a", 2), ("b", 1)].map { line, priority in
                    try farm.submit(
                        Drill(deed: .write(line, to: path)),
                        options: JobOptions(priority: priority)
                    )
                }
                first.cancel()
                for handle in rest { _ = try await handle.output }
                #expect(try String(contentsOfFile: path, encoding: .utf8) == "a\nb\nc\nd\n")
            }
        }
    }

    @Test("A client with one job does not wait for the program of the pool, which has many")
    func fairShares() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/lines"
            try await withSocketPath { socket in
                try await Self.withFarm(workers: 1, listeningAt: socket) { farm, _ in
                    try await withClient(connectingTo: socket) { client in
                        let remote = try await LatticeActorSystem(client).jobPool(of: "farm", within: .seconds(60))
                        let first = try farm.submit(Drill(deed: .wait))
                        for await status in first.updates where status.phase == .running(attempt: 1) { break }
                        let rest = try (0..<20).map { _ in try farm.submit(Drill(deed: .write("many", to: path))) }
                        async let one = remote.run(Drill(deed: .write("one", to: path)))
                        try await poll { farm.counts.waiting == 21 }
                        first.cancel()
                        _ = try await one
                        for handle in rest { _ = try await handle.output }
                        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
                        #expect(lines.count == 21 && (lines.firstIndex(of: "one") ?? 21) <= 1, "\(lines)")
                    }
                }
            }
        }
    }

    @Test("In a mixture of good and bad jobs, each ends with its own cause, and all good ones succeed")
    func mixture() async throws {
        let deeds: [(Drill.Deed, JobError.Code?)] = [
            (.nothing, nil), (.report(50), nil), (.crash(attempts: 9), .workerEnded), (.nothing, nil),
            (.leave, .workerEnded), (.refuse("no paper"), .threw), (.report(5), nil), (.spin, .limit), (.nothing, nil),
            (.wait, .limit),
        ]
        let limits = JobLimits(wallTime: .milliseconds(500))
        // A good job may be slow on a busy machine.
        let patient = JobOptions()
        try await Self.withFarm(workers: 3, JobPoolConfiguration(options: JobOptions(limits: limits))) { farm, _ in
            let jobs = try (0..<60).map { number in
                let (deed, code) = deeds[number % deeds.count]
                return (try farm.submit(Drill(deed: deed), options: code == nil ? patient : nil), code)
            }
            for (handle, code) in jobs {
                if let code {
                    let error = await #expect(throws: JobError.self) { try await handle.output }
                    // On a busy machine a job may pass its limit before it does what it is for.
                    #expect(error?.code == code || error?.code == .limit)
                } else {
                    _ = try await handle.output
                    #expect(handle.status.phase == .succeeded)
                }
            }
            #expect(farm.counts.running == 0 && farm.counts.waiting == 0)
        }
    }

    @Test("A client runs, follows and cancels jobs of the coordinator's pool, and gets their errors")
    func client() async throws {
        try await withSocketPath { path in
            try await Self.withFarm(listeningAt: path) { pool, _ in
                try await withClient(connectingTo: path) { client in
                    let system = LatticeActorSystem(client)
                    system.register(errors: Drill.Refusal.self)
                    let farm = try await system.jobPool(of: "farm", within: .seconds(60))
                    let statuses = Watched<[JobStatus]>([])
                    _ = try await farm.run(Drill(deed: .report(100))) { status in
                        statuses.change { $0.append(status) }
                    }
                    #expect(statuses.value.last?.phase == .succeeded)
                    #expect(statuses.value.last?.progress.completedUnits == 100)
                    let refused = await #expect(throws: JobError.self) {
                        try await farm.run(Drill(deed: .refuse("no ink")))
                    }
                    #expect(refused?.cause as? Drill.Refusal == Drill.Refusal(reason: "no ink"))
                    let crashed = await #expect(throws: JobError.self) {
                        try await farm.run(Drill(deed: .crash(attempts: 9)))
                    }
                    #expect(crashed?.failures.first?.cause == .workerEnded(.signal(SIGABRT)))
                    let isRunning = Watched(false)
                    let waiting = Task {
                        try await farm.run(Drill(deed: .wait)) { status in
                            if status.phase == .running(attempt: 1) { isRunning.change { $0 = true } }
                        }
                    }
                    try await isRunning.until { $0 }
                    waiting.cancel()
                    await #expect(throws: CancellationError.self) { try await waiting.value }
                    try await poll { pool.counts.running == 0 }
                }
            }
        }
    }

    @Test("When a pool ends, its waiting jobs are refused and its running jobs are cancelled")
    func end() async throws {
        let handles = Watched<[JobHandle<Drill>]>([])
        try await Self.withFarm(workers: 1) { farm, _ in
            let running = try farm.submit(Drill(deed: .wait))
            for await status in running.updates where status.phase == .running(attempt: 1) { break }
            let waiting = try farm.submit(Drill(deed: .nothing))
            handles.change { $0 = [running, waiting] }
        }
        var codes: [JobError.Code] = []
        for handle in handles.value {
            let error = await #expect(throws: JobError.self) { try await handle.output }
            if let error { codes.append(error.code) }
        }
        #expect(codes == [.cancelled, .closed])
    }
}
