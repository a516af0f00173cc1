import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import Testing

/// Sends, cancels and deaths at random; a failing run prints its seed.
@Suite(.timeLimit(.minutes(10)))
struct RandomCutsTests {
    @Test(
        "Connections are cut at random, and every event ends once and is applied once (F64)",
        arguments: [nil] + (1...6).map(UInt64?.some)
    )
    func everyEventEndsOnceAndIsAppliedOnce(fixed: UInt64?) async throws {
        let seed = fixed ?? UInt64.random(in: 0...(.max))
        try await WorkerBench.with { bench in
            var run = RandomRun(bench: bench, seed: seed)
            try await run.go(steps: 400)
            let report = await run.report()
            #expect(report.doubled.isEmpty, "seed \(seed): applied twice")
            #expect(report.lost.isEmpty, "seed \(seed): ended finished or interrupted, and not applied")
            #expect(report.ghosts.isEmpty, "seed \(seed): rejected, and applied all the same")
            #expect(report.disorder.isEmpty, "seed \(seed): states went back")
        }
    }
}

/// A random run. Each event adds a number of its own, and some events wait at a gate that never opens.
private struct RandomRun {
    struct Report {
        var doubled: [Int] = []
        var lost: [Int] = []
        var ghosts: [Int] = []
        var disorder: [Int] = []
    }

    private let bench: WorkerBench
    private let recorder = WorkerBench.Recorder()
    private let channel: WorkerBench.Channel
    private let gate = Gates.makeName()
    private var generator: SplitMix
    /// They add no number: they only have to end.
    private var growths: [EventTask] = []
    private var tasks: [(number: Int, task: EventTask, isCancelled: Bool)] = []

    init(bench: WorkerBench, seed: UInt64) {
        self.bench = bench
        generator = SplitMix(state: seed)
        channel = bench.open(recorder)
    }

    mutating func go(steps: Int) async throws {
        try await bench.start(capacity: capacity())
        for number in 1...steps {
            switch UInt8.random(in: 0..<100, using: &generator) {
            case 0..<70:
                tasks.append((number, channel.send(.add(number)), false))
            case 70..<80:
                tasks.append((number, channel.send(.wait(number, gate: gate)), false))
            case 80..<92:
                guard let index = tasks.indices.randomElement(using: &generator) else { continue }
                tasks[index].isCancelled = true
                tasks[index].task.cancel()
            case 92..<97:
                // A state that goes out in many pieces, so that some deaths tear it.
                growths.append(channel.send(.grow(90_000)))
            default:
                try await bench.kill(unread: Bool.random(using: &generator))
                try await bench.start(capacity: capacity())
            }
        }
        // Whatever waits at the gate is ended by one more death.
        let last = channel.send(.add(0))
        _ = await last.finish()
        try await bench.kill()
        try await bench.start()
    }

    private mutating func capacity() -> Int { Int.random(in: 100...100_000, using: &generator) }

    func report() async -> Report {
        var report = Report()
        var outcomes: [Int: EventOutcome] = [:]
        for (number, task, _) in tasks { outcomes[number] = await task.finish() }
        for growth in growths { _ = await growth.finish() }
        let states = recorder.record.value.states
        let entries = states.last?.entries ?? []
        for (entry, count) in Dictionary(entries.map { ($0, 1) }, uniquingKeysWith: +) where count > 1 && entry != 0 {
            report.doubled.append(entry)
        }
        let applied = Set(entries)
        for (number, _, isCancelled) in tasks {
            switch outcomes[number] {
            case .finished, .interrupted: if !applied.contains(number) { report.lost.append(number) }
            case .cancelled: if !isCancelled { report.lost.append(number) }
            case .rejected: if applied.contains(number) { report.ghosts.append(number) }
            default: report.lost.append(number)
            }
        }
        for (earlier, later) in zip(states, states.dropFirst())
        where !later.entries.starts(with: earlier.entries) || later.padding.utf8.count < earlier.padding.utf8.count {
            report.disorder.append(later.entries.count)
        }
        return report
    }

}

/// Random numbers that can be had again.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
