import LatticeActors
import LatticeCalls
import LatticeConcurrency
import LatticeCoordinator

/// Measures calls of an actor in a worker: one after the other, with many in flight, one-way calls, and calls that are
/// answered with streams.
@MainActor struct ActorBench {
    func run(into report: BenchReport) async throws {
        let language = try await LanguageCalls().run(BenchScale.roundTrips)
        report.add(times: "the Swift runtime's part", language, key: "language", isOfRow: false)
        try await withCoordinator(configuration: .benchOfActors) { coordinator in
            let system = LatticeActorSystem(coordinator)
            let reader = EventLoopTaskExecutor(coordinator.eventLoop)
            let echo = try await system.resolve(EchoActor.self, named: EchoActor.name, within: .seconds(20))
            let other = try await system.resolve(EchoActor.self, named: EchoActor.poolName, within: .seconds(20))
            try await measureRoundTrips(echo, other, on: reader, into: report)
            let caller = EchoCaller(echo)
            try await measure("call", BenchScale.events, "throughput", isOfRow: true, into: report) { count in
                try await caller.call(count, window: BenchScale.window, on: reader)
            }
            let oneWay = EchoCaller(try echo.oneWay)
            try await measure("one-way call", BenchScale.events, "one_way", into: report) { count in
                try await oneWay.send(count, on: reader)
                // This call ends after all one-way calls.
                _ = try await caller.call(1, on: reader)
            }
            guard system.failedOneWayCalls == 0 else { throw BenchError("a one-way call has failed") }
            try await measure("stream element", BenchScale.elements, "stream", into: report) { count in
                try await EchoCaller(other).read(count, on: ThreadPool.shared)
            }
        }
    }

    private func measureRoundTrips(
        _ echo: EchoActor,
        _ other: EchoActor,
        on reader: any TaskExecutor,
        into report: BenchReport
    ) async throws {
        let start = ProcessorTime.now
        let caller = EchoCaller(echo)
        _ = try await caller.call(BenchScale.warmUp, on: reader)
        report.add(times: "round trip", try await caller.call(BenchScale.roundTrips, on: reader), key: "rtt")
        let count = BenchScale.roundTrips + BenchScale.warmUp
        report.add(time: "round trip", .now - start, count: count, key: "rtt_cpu_us")
        if let allocations = try await caller.allocations(BenchScale.roundTrips, on: reader) {
            report.add(
                figure: "allocations per round trip, in the caller",
                allocations.here,
                key: "caller_allocations",
                isOfRow: false
            )
            report.add(
                figure: "allocations per round trip, in the actor",
                allocations.there,
                key: "actor_allocations",
                isOfRow: false
            )
        }
        _ = try await EchoCaller(other).call(BenchScale.warmUp, on: ThreadPool.shared)
        report.add(
            times: "round trip between effects' threads",
            try await EchoCaller(other).call(BenchScale.roundTrips, on: ThreadPool.shared),
            key: "pool_rtt",
            isOfRow: false
        )
    }

    /// Measures an operation after a warm-up.
    private func measure(
        _ name: String,
        _ count: Int,
        _ key: String,
        isOfRow: Bool = false,
        into report: BenchReport,
        _ body: (Int) async throws -> Void
    ) async throws {
        try await body(BenchScale.warmUp)
        let start = ProcessorTime.now
        let beginning = SuspendingClock.now
        try await body(count)
        report.add(
            rate: "\(name)s",
            count: count,
            in: beginning.duration(to: .now),
            key: "\(key)_per_s",
            isOfRow: isOfRow
        )
        report.add(time: name, .now - start, count: count, key: "\(key)_cpu_us", isOfRow: isOfRow)
    }
}

extension CoordinatorConfiguration {
    /// A configuration with one worker that only serves actors.
    static var benchOfActors: CoordinatorConfiguration {
        var configuration = bench
        var group = WorkerGroup(EchoActor.group, workers: 1)
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

    /// Makes calls one after the other.
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

    /// Makes calls with at most `window` of them unanswered.
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

    /// Makes one-way calls one after the other.
    func send(_ count: Int, on executor: any TaskExecutor) async throws {
        try await Task(executorPreference: executor) {
            for number in 0..<count {
                try await echo.note(NumberedBytes(NumberedBytes.firstNumber + number, count: Self.size))
            }
        }.value
    }

    /// Reads the elements of a stream.
    func read(_ count: Int, on executor: any TaskExecutor) async throws {
        try await Task(executorPreference: executor) {
            var next = 0
            for try await number in try await echo.numbers(to: count) {
                guard number == next else { throw BenchError("element \(next) of a stream was \(number)") }
                next += 1
            }
            guard next == count else { throw BenchError("a stream of \(count) elements ended after \(next)") }
        }.value
    }

    /// Returns the average number of allocations of a call, on the threads at both ends, or nil if they are not
    /// counted.
    func allocations(_ count: Int, on executor: any TaskExecutor) async throws -> (here: Double, there: Double)? {
        try await Task(executorPreference: executor) {
            let before = (Allocations.ofThisThread, try await echo.allocations())
            for number in 0..<count { try await call(number) }
            let after = (Allocations.ofThisThread, try await echo.allocations())
            guard let here = before.0, let there = before.1, let hereAfter = after.0, let thereAfter = after.1 else {
                return nil
            }
            return (Double(hereAfter - here) / Double(count), Double(thereAfter - there) / Double(count))
        }.value
    }

    private func call(_ number: Int) async throws {
        let number = NumberedBytes.firstNumber + number
        let answer = try await echo.echo(NumberedBytes(number, count: Self.size))
        guard answer.number == number, answer.isWhole(Self.size) else {
            throw BenchError("call \(number) was answered with \(answer.number)")
        }
    }
}
