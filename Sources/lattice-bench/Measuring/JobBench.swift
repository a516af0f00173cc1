import LatticeActors
import LatticeConcurrency
import LatticeCoordinator
import LatticeJobs

/// Measures jobs: the start of the first one, empty and short ones in workers that run already, and the time from a
/// limit to the next job.
@MainActor struct JobBench {
    /// The workers, which is also the number of jobs that run at a time.
    private static let widths = [1, 2]
    private static let limit: Duration = .milliseconds(50)
    /// The jobs that one worker runs at a time, in the row that shows what this brings.
    private static let shared = 4

    func run(into report: BenchReport) async throws {
        var starts = Latencies()
        for _ in 0..<BenchScale.jobStarts {
            let start = SuspendingClock.now
            try await withPool(workers: 1) { try await check($0, BenchJob(number: 7)) }
            starts.record(start.duration(to: .now))
        }
        report.add(times: "first job, from nothing to the end of the coordinator", starts, key: "jobs_first")
        for workers in Self.widths {
            try await withPool(workers: workers) { try await measure($0, workers, into: report) }
        }
        try await withPool(workers: 1, jobsPerWorker: Self.shared) { try await measureShared($0, into: report) }
        for standby in [false, true] {
            let name = standby ? "from a limit to the next job, with a standby" : "from a limit to the next job"
            let times = try await withPool(workers: 1, standby: standby) { try await limits($0) }
            report.add(times: name, times, key: standby ? "jobs_limit_standby" : "jobs_limit")
        }
    }

    private func withPool<Result>(
        workers: Int,
        jobsPerWorker: Int = 1,
        standby: Bool = false,
        _ body: (JobPool) async throws -> Result
    ) async throws -> Result {
        var configuration = CoordinatorConfiguration.bench.survivingDeaths
        var group = WorkerGroup(BenchJob.group, workers: workers)
        group.arguments = BenchJob.workerArguments
        group.standby = standby
        configuration.groups = [group]
        return try await withCoordinator(configuration: configuration) { coordinator in
            try await LatticeActorSystem(coordinator).withJobPool(
                of: BenchJob.group,
                in: coordinator,
                configuration: JobPoolConfiguration(jobsPerWorker: jobsPerWorker),
                body
            )
        }
    }

    private func measureShared(_ pool: JobPool, into report: BenchReport) async throws {
        _ = try await rate(of: BenchJob(number: 0), BenchScale.warmUp, in: pool)
        let start = ProcessorTime.now
        let time = try await rate(of: BenchJob(number: 0), BenchScale.emptyJobs, in: pool)
        let (name, key) = ("1 worker with \(Self.shared) jobs at a time", "jobs_0ms_1x\(Self.shared)")
        report.add(rate: "empty jobs in \(name)", count: BenchScale.emptyJobs, in: time, key: "\(key)_per_s")
        report.add(time: "empty job in \(name)", .now - start, count: BenchScale.emptyJobs, key: "\(key)_cpu_us")
    }

    private func measure(_ pool: JobPool, _ workers: Int, into report: BenchReport) async throws {
        while pool.counts.workers < workers { try await Task.sleep(for: .milliseconds(1)) }
        _ = try await rate(of: BenchJob(number: 0), BenchScale.warmUp, in: pool)
        if workers == 1 {
            var times = Latencies()
            for number in 0..<BenchScale.roundTrips {
                let start = SuspendingClock.now
                try await check(pool, BenchJob(number: number))
                times.record(start.duration(to: .now))
            }
            report.add(times: "empty job, one after the other", times, key: "jobs_rtt")
        }
        let rows: [(name: String, microseconds: UInt32, count: Int)] = [
            ("empty jobs", 0, BenchScale.emptyJobs), ("jobs of 1 ms", 1000, BenchScale.shortJobs),
            ("jobs of 100 ms", 100_000, BenchScale.longJobs),
        ]
        // With one worker, longer jobs only show how long they take.
        for (name, microseconds, count) in rows where workers > 1 || microseconds == 0 {
            let start = ProcessorTime.now
            let time = try await rate(of: BenchJob(number: 0, microseconds: microseconds), count, in: pool)
            let key = "jobs_\(microseconds / 1000)ms_\(workers)"
            report.add(rate: "\(name) at width \(workers)", count: count, in: time, key: "\(key)_per_s")
            guard microseconds == 0 else { continue }
            report.add(time: "empty job at width \(workers)", .now - start, count: count, key: "\(key)_cpu_us")
            report.add(
                figure: "µs for each empty job at width \(workers)",
                time / .microseconds(1) / Double(count),
                key: "\(key)_us"
            )
        }
    }

    /// Runs jobs that all wait in the queue, and returns the time until the last one has ended.
    private func rate(of job: BenchJob, _ count: Int, in pool: JobPool) async throws -> Duration {
        let task = Task(executorPreference: ThreadPool.shared) {
            let start = SuspendingClock.now
            let handles = try (0..<count).map { number in
                var job = job
                job.number = number
                return try pool.submit(job)
            }
            for (number, handle) in handles.enumerated() {
                let output = try await handle.output
                guard output == number else { throw BenchError("job \(number) returned \(output)") }
            }
            return start.duration(to: .now)
        }
        return try await task.value
    }

    /// Lets jobs pass their limit, and measures the time from there until a job that waits has ended.
    private func limits(_ pool: JobPool) async throws -> Latencies {
        var times = Latencies()
        let options = JobOptions(limits: JobLimits(wallTime: Self.limit))
        for number in 0..<BenchScale.jobLimits {
            try await check(pool, BenchJob(number: number))
            // A standby has to be ready again.
            try await Task.sleep(for: .milliseconds(200))
            let hanging = try pool.submit(BenchJob(number: number, hangs: true), options: options)
            for await status in hanging.updates where status.phase != .waiting { break }
            let start = SuspendingClock.now + Self.limit
            try await check(pool, BenchJob(number: number))
            times.record(start.duration(to: .now))
            do {
                _ = try await hanging.output
                throw BenchError("a job that hangs returned an output")
            } catch let error as JobError where error.code == .limit {
                continue
            }
        }
        return times
    }

    private func check(_ pool: JobPool, _ job: BenchJob) async throws {
        let output = try await pool.run(job)
        guard output == job.number else { throw BenchError("job \(job.number) returned \(output)") }
    }
}
