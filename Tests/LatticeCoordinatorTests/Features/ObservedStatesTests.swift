import LatticeConcurrency
import LatticeCore
import LatticeTestSupport
import Testing

@testable import LatticeCoordinator

/// What a program is given of acknowledged states.
@Suite(.timeLimit(.minutes(3))) struct ObservedStatesTests {
    private static let key = FeatureRegistry.Key(feature: "journal", instance: "i")

    /// The entries of the states that were given, in their order.
    private let given = Watched<[[Int]]>([])
    private let failures = Watched(0)

    /// - Parameter failing: How many calls throw.
    private func withBench(
        atMostEvery interval: Duration,
        failing: Int = 0,
        _ body: @MainActor (CoordinatorBench) async throws -> Void
    ) async throws {
        var configuration = CoordinatorConfiguration()
        configuration.observeStates(of: JournalFeature.self, atMostEvery: interval) {
            [given, failures] instance, state in
            #expect(instance == "i")
            if failures.value < failing {
                failures.change { $0 += 1 }
                throw CancellationError()
            }
            given.change { $0.append(state.entries) }
        }
        try await CoordinatorBench.with(configuration: configuration) { bench in
            bench.startWorker()
            try await body(bench)
        }
    }

    @Test("The program gets the first state at once, no second one too early, and the newest one at the end")
    func rateAndEnd() async throws {
        try await withBench(atMostEvery: .seconds(3600)) { bench in
            let host = try bench.host("i")
            try await host.whenOpened()
            try await given.until { $0 == [[]] }
            for number in 1...3 { await host.viewModel.sendViewEvent(.add(number)).finish() }
            #expect(given.value == [[]])
            await bench.registry.finishObserving(within: .seconds(60))
            #expect(given.value == [[], [1, 2, 3]])
        }
    }

    @Test("The newest state comes by itself, over the deaths of workers too")
    func newest() async throws {
        try await withBench(atMostEvery: .milliseconds(1)) { bench in
            let host = try bench.host("i")
            for number in 1...3 { await host.viewModel.sendViewEvent(.add(number)).finish() }
            try await given.until { $0.last == [1, 2, 3] }
            try await bench.killWorker()
            bench.startWorker()
            await host.viewModel.sendViewEvent(.add(4)).finish()
            try await given.until { $0.last == [1, 2, 3, 4] }
        }
    }

    @Test("What cannot be saved is given again")
    func failing() async throws {
        try await withBench(atMostEvery: .milliseconds(1), failing: 3) { bench in
            let host = try bench.host("i")
            await host.viewModel.sendViewEvent(.add(1)).finish()
            try await given.until { $0.last == [1] }
            #expect(failures.value == 3)
        }
    }

    @Test("An end does not wait for a program that can never save, and asks it no more")
    func failingForEver() async throws {
        try await withBench(atMostEvery: .seconds(3600), failing: .max) { bench in
            let host = try bench.host("i")
            await host.viewModel.sendViewEvent(.add(1)).finish()
            try await failures.until { $0 == 1 }
            await bench.registry.finishObserving(within: .seconds(60))
            #expect(failures.value <= 2)
        }
    }

    @Test("Of an instance that was closed nothing more is given; the next one of the key comes after it")
    func closed() async throws {
        try await withBench(atMostEvery: .seconds(3600)) { bench in
            let host = try bench.host("i")
            try await host.whenOpened()
            try await given.until { $0 == [[]] }
            await host.viewModel.sendViewEvent(.add(1)).finish()
            bench.registry.release(Self.key)
            let next = try bench.host("i")
            await next.viewModel.sendViewEvent(.add(2)).finish()
            await bench.registry.finishObserving(within: .seconds(60))
            #expect(given.value == [[], [2]])
        }
    }

    @Test("A state that is on its way when the instance is closed is not given")
    func closedBeforeItCame() async throws {
        try await withBench(atMostEvery: .milliseconds(1)) { bench in
            let host = try bench.host("i")
            try await host.whenOpened()
            try await given.until { $0 == [[]] }
            host.viewModel.sendViewEvent(.add(1))
            // The main actor is busy until the state has come: it is shown after the close.
            let hasCome = SpinWait.look(for: .seconds(10)) { _ in
                guard case .serving(_, _, let hasProgressed) = bench.supervisor.core.withLock(\.state.phase) else {
                    return false
                }
                return hasProgressed
            }
            #expect(hasCome)
            bench.registry.release(Self.key)
            try await Task.sleep(for: .milliseconds(50))
            #expect(given.value == [[]])
        }
    }

    @Test("What observes a closed instance goes with it, or when the program has taken the last state")
    func observersEnd() async throws {
        for interval in [Duration.milliseconds(1), .milliseconds(300)] {
            given.change { $0 = [] }
            try await withBench(atMostEvery: interval) { bench in
                let host = try bench.host("i")
                try await host.whenOpened()
                try await given.until { $0 == [[]] }
                #expect(bench.registry.observerCount == 1)
                bench.registry.release(Self.key)
                try await poll { bench.registry.observerCount == 0 }
            }
        }
    }
}
