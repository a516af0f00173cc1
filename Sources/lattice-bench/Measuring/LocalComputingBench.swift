import LatticeCore
import Synchronization

/// Measures effects and timeouts beside effects that compute continuously.
@MainActor struct LocalComputingBench {
    private static let computing = 8
    private static let timeout: Duration = .milliseconds(20)

    private let viewModel = ViewModel(initialDomainState: .init(), feature: LocalFeature.feature)

    func run(into report: BenchReport) async throws {
        let stop = StopSign()
        let start = SuspendingClock.now
        let tasks = (0..<Self.computing).map { _ in viewModel.sendViewEvent(.compute(stop)) }
        defer { stop.set() }
        try await measureEffect(1)
        report.add(
            figure: "ms for an effect after \(Self.computing) that compute",
            start.duration(to: .now) / .milliseconds(1),
            decimals: 1,
            key: "behind_computing_ms"
        )
        let effects = try await measureEffect(BenchScale.besideComputing)
        report.add(times: "effect beside \(Self.computing) that compute", effects, key: "beside_computing")
        let lateness = try await measureTimeouts(BenchScale.besideComputing / 10)
        report.add(times: "delay of a timeout beside these", lateness, key: "beside_computing_timeout")
        stop.set()
        for task in tasks { try BenchError.check(await task.finish(), of: "an effect that computes") }
    }

    @discardableResult
    private func measureEffect(_ count: Int) async throws -> Latencies {
        var latencies = Latencies()
        for number in 1...count {
            let start = SuspendingClock.now
            let outcome = await viewModel.sendViewEvent(.load(number)).finish()
            latencies.record(start.duration(to: .now))
            try BenchError.check(outcome, of: "effect \(number)")
        }
        return latencies
    }

    private func measureTimeouts(_ count: Int) async throws -> Latencies {
        var latencies = Latencies()
        for number in 1...max(1, count) {
            let start = SuspendingClock.now
            let outcome = await viewModel.sendViewEvent(.fail(after: Self.timeout)).finish()
            latencies.record(start.duration(to: .now) - Self.timeout)
            try BenchError.check(outcome, of: "timeout \(number)")
        }
        return latencies
    }
}

/// A flag that stops computing effects.
final class StopSign: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() {
        value.store(true, ordering: .relaxed)
    }
}
