import LatticeConcurrency
import LatticeCore
import LatticeTestSupport
import Testing

@testable import LatticeCoordinator

/// Tests the acknowledged states that a program observes.
@Suite(.timeLimit(.minutes(10))) struct ObservedStatesTests {
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
        var configuration = CoordinatorConfiguration.patient
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

    @Test(
        "The program gets the first state at once, the next ones no earlier than the interval, and the last at the end"
    )
    func rateAndEnd() async throws {
        try await withBench(atMostEvery: .seconds(3600)) { bench in
            let host = try await bench.host("i")
            try await host.whenOpened()
            try await given.until { $0 == [[]] }
            for number in 1...3 { await host.viewModel.sendViewEvent(.add(number)).finish() }
            #expect(given.value == [[]])
            await bench.registry.finishObserving(within: .seconds(60))
            #expect(given.value == [[], [1, 2, 3]])
        }
    }

    @Test("The newest state is delivered by itself, also after restarts of the worker")
    func newest() async throws {
        try await withBench(atMostEvery: .milliseconds(1)) { bench in
            let host = try await bench.host("i")
            for number in 1...3 { await host.viewModel.sendViewEvent(.add(number)).finish() }
            try await given.until { $0.last == [1, 2, 3] }
            try await bench.killWorker()
            bench.startWorker()
            await host.viewModel.sendViewEvent(.add(4)).finish()
            try await given.until { $0.last == [1, 2, 3, 4] }
        }
    }

    @Test("A state that could not be saved is delivered again")
    func failing() async throws {
        try await withBench(atMostEvery: .milliseconds(1), failing: 3) { bench in
            let host = try await bench.host("i")
            await host.viewModel.sendViewEvent(.add(1)).finish()
            try await given.until { $0.last == [1] }
            #expect(failures.value == 3)
        }
    }

    @Test("The end does not wait for a program that can never save, and does not retry")
    func failingForEver() async throws {
        try await withBench(atMostEvery: .seconds(3600), failing: .max) { bench in
            let host = try await bench.host("i")
            await host.viewModel.sendViewEvent(.add(1)).finish()
            try await failures.until { $0 == 1 }
            await bench.registry.finishObserving(within: .seconds(60))
            #expect(failures.value <= 2)
        }
    }

    @Test("No more states of a closed instance are delivered, and those of a new instance under its key come later")
    func closed() async throws {
        try await withBench(atMostEvery: .seconds(3600)) { bench in
            let host = try await bench.host("i")
            try await host.whenOpened()
            try await given.until { $0 == [[]] }
            await host.viewModel.sendViewEvent(.add(1)).finish()
            bench.registry.release(Self.key)
            let next = try await bench.host("i")
            await next.viewModel.sendViewEvent(.add(2)).finish()
            await bench.registry.finishObserving(within: .seconds(60))
            #expect(given.value == [[], [2]])
        }
    }

    @Test("A state that is reported after its instance was closed is not delivered, and one of the next instance is")
    func closedBeforeItCame() async throws {
        let given = Watched<[Int]>([])
        let hook = StateHook<Int>(interval: .milliseconds(1)) { _, state in given.change { $0.append(state) } }
        let observed = RuntimeEvent.Instance(feature: "f", key: "i")
        let observer = StateObserver(observed, hook, events: .none) { _ in }
        let first = observer.begin()
        #expect(observer.forget())
        observer.changed(first) { 1 }
        #expect(observer.forget())
        let second = observer.begin()
        observer.changed(first) { 2 }
        observer.changed(second) { 3 }
        try await given.until { !$0.isEmpty }
        await observer.finish(within: .seconds(60))
        #expect(given.value == [3])
    }

    @Test("The observer of a closed instance ends with it, or after the program has taken the last state")
    func observersEnd() async throws {
        for interval in [Duration.milliseconds(1), .milliseconds(300)] {
            given.change { $0 = [] }
            try await withBench(atMostEvery: interval) { bench in
                let host = try await bench.host("i")
                try await host.whenOpened()
                try await given.until { $0 == [[]] }
                #expect(bench.registry.observerCount == 1)
                bench.registry.release(Self.key)
                try await poll { bench.registry.observerCount == 0 }
            }
        }
    }
}
