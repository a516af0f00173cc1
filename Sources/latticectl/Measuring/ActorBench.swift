import LatticeActors
import LatticeConcurrency
import LatticeCoordinator
import LatticeSession

/// Calls of an actor in a worker: one after the other, and with many in flight.
@MainActor struct ActorBench {
    func run(into report: BenchReport) async throws {
        let language = try await LanguageCalls().run(BenchScale.roundTrips)
        report.add(times: "the language's part", language, key: "language", isOfRow: false)
        var start = ProcessorTime.now
        let duration = try await withCoordinator(configuration: .benchOfActors) { coordinator in
            let system = LatticeActorSystem(coordinator.node)
            let reader = EventLoopTaskExecutor(coordinator.eventLoop)
            let echo = try await system.resolve(EchoActor.self, named: EchoActor.name, within: .seconds(20))
            let caller = EchoCaller(echo)
            _ = try await caller.call(BenchScale.warmUp, on: reader)
            report.add(times: "round trip", try await caller.call(BenchScale.roundTrips, on: reader), key: "rtt")
            let end = ProcessorTime.now
            report.add(
                time: "round trip",
                end - start,
                count: BenchScale.roundTrips + BenchScale.warmUp,
                key: "rtt_cpu_us"
            )
            let other = try await system.resolve(EchoActor.self, named: EchoActor.poolName, within: .seconds(20))
            let otherCaller = EchoCaller(other)
            _ = try await otherCaller.call(BenchScale.warmUp, on: ThreadPool.shared)
            report.add(
                times: "round trip between effects' threads",
                try await otherCaller.call(BenchScale.roundTrips, on: ThreadPool.shared),
                key: "pool_rtt",
                isOfRow: false
            )
            start = ProcessorTime.now
            try await caller.call(BenchScale.warmUp, window: BenchScale.window, on: reader)
            let beginning = SuspendingClock.now
            try await caller.call(BenchScale.events, window: BenchScale.window, on: reader)
            return beginning.duration(to: .now)
        }
        report.add(rate: "calls", count: BenchScale.events, in: duration, key: "throughput_per_s")
        report.add(time: "call", .now - start, count: BenchScale.events + BenchScale.warmUp, key: "throughput_cpu_us")
    }
}

extension CoordinatorConfiguration {
    /// One worker that serves actors and nothing else.
    fileprivate static var benchOfActors: CoordinatorConfiguration {
        var configuration = bench
        var group = WorkerGroup("actors", workers: 1)
        group.arguments = EchoActor.workerArguments
        configuration.groups = [group]
        return configuration
    }
}

private struct EchoCaller: Sendable {
    private static let size = 64

    let echo: EchoActor

    init(_ echo: EchoActor) {
        self.echo = echo
    }

    /// One after the other.
    func call(_ count: Int, on executor: any TaskExecutor) async throws -> Latencies {
        try await Task(executorPreference: executor) {
            var latencies = Latencies()
            for number in 0..<count {
                let start = SuspendingClock.now
                try await call(number)
                latencies.record(start.duration(to: .now))
            }
            return latencies
        }.value
    }

    /// With so many at most that have no answer.
    func call(_ count: Int, window: Int, on executor: any TaskExecutor) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<window {
                group.addTask(executorPreference: executor) {
                    for number in stride(from: caller, to: count, by: window) { try await call(number) }
                }
            }
            try await group.waitForAll()
        }
    }

    private func call(_ number: Int) async throws {
        let number = NumberedBytes.firstNumber + number
        let answer = try await echo.echo(NumberedBytes(number, count: Self.size))
        guard answer.number == number, answer.isWhole(Self.size) else {
            throw BenchError("call \(number) was answered with \(answer.number)")
        }
    }
}
