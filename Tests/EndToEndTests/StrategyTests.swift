import Foundation
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Testing

/// Groups whose workers start and end with each other, as processes.
@MainActor @Suite(.timeLimit(.minutes(10))) struct StrategyTests {
    /// Runs a test with a counter and, after it, an unruly worker in a nested group.
    private func withDesk(
        _ strategy: WorkerGroup.Strategy,
        shutdownTimeout: Duration? = nil,
        _ change: (inout WorkerGroup) -> Void = { _ in },
        _ body: (ViewModel<Counter>, ViewModel<UnrulyFeature>) async throws -> Void
    ) async throws {
        var configuration = EndToEndTests.configuration(workers: Programs.path("counter"))
        var unruly = WorkerGroup("unruly", of: UnrulyFeature.self)
        unruly.executable = Programs.path("unruly")
        unruly.shutdownTimeout = shutdownTimeout
        change(&unruly)
        var desk = WorkerGroup("desk", of: Counter.self)
        desk.strategy = strategy
        desk.groups = [unruly]
        configuration.groups = [desk]
        try await withCoordinator(hosting: Counter.self, UnrulyFeature.self, configuration: configuration) {
            coordinator in
            let counter = try await coordinator.viewModel(Counter.self)
            let unruly = try await coordinator.viewModel(UnrulyFeature.self)
            try await body(counter, unruly)
        }
    }

    private func until(_ viewModel: ViewModel<some HostedFeature>, _ status: String) async throws {
        while !"\(viewModel.hostStatus)".hasPrefix(status) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test("One for all: both workers restart with their states, and the group interrupts running effects")
    func oneForAll() async throws {
        try await withDesk(.oneForAll, shutdownTimeout: .zero) { counter, unruly in
            #expect(await counter.sendViewEvent(.add(5)).finish() == .finished)
            let waiting = unruly.sendViewEvent(.wait)
            #expect(await unruly.sendViewEvent(.add(7)).finish() == .finished)
            kill(try servingProcess(counter), SIGKILL)
            let cause = Interruption(cause: .group("desk"), incarnation: 1)
            #expect(await waiting.finish() == .interrupted(cause))
            #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
            #expect(await counter.sendViewEvent(.add(1)).finish() == .finished)
            #expect(counter.viewState == "sum 6")
            #expect(unruly.viewState == 8)
            for status in ["\(counter.hostStatus)", "\(unruly.hostStatus)"] {
                #expect(status.hasPrefix("serving, incarnation 2, "))
            }
        }
    }

    @Test("Rest for one: workers before the one that died keep their process")
    func restForOne() async throws {
        try await withDesk(.restForOne) { counter, unruly in
            let process = try servingProcess(counter)
            kill(try servingProcess(unruly), SIGKILL)
            #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
            #expect(try servingProcess(counter) == process)
            kill(process, SIGKILL)
            try await until(counter, "serving, incarnation 2")
            try await until(unruly, "serving, incarnation 3")
            #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
            #expect(unruly.viewState == 2)
        }
    }

    @Test("A process that is killed while it ends for its group joins the restart (F19)")
    func aCrashDuringARestart() async throws {
        try await withDesk(.oneForAll, shutdownTimeout: .seconds(60)) { counter, unruly in
            let waiting = unruly.sendViewEvent(.wait)
            #expect(await unruly.sendViewEvent(.add(7)).finish() == .finished)
            let process = try servingProcess(unruly)
            kill(try servingProcess(counter), SIGKILL)
            // It may finish what runs, which it never does.
            try await until(
                unruly,
                "restarting in 0.0 seconds, attempt 1, after the worker ended with its group \"desk\""
            )
            kill(process, SIGKILL)
            guard case .interrupted = await waiting.finish() as EventOutcome else {
                Issue.record("it ended otherwise")
                return
            }
            try await until(counter, "serving, incarnation 2")
            try await until(unruly, "serving, incarnation 2")
            #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
            #expect(unruly.viewState == 8)
        }
    }

    @Test("A group that allows no restart passes a death on to the group around it")
    func escalation() async throws {
        try await withDesk(.oneForAll) {
            $0.intensity = RestartIntensity(restarts: 0, period: .seconds(10))
        } _: { counter, unruly in
            kill(try servingProcess(unruly), SIGKILL)
            try await until(counter, "serving, incarnation 2")
            try await until(unruly, "serving, incarnation 2")
        }
    }

    @Test("A group with automatic shutdown is done when its worker has left as its restart policy allows")
    func autoShutdown() async throws {
        try await withDesk(.oneForAll) {
            var restart = RestartPolicy()
            restart.kind = .transient
            $0.restart = restart
            $0.autoShutdown = .any
        } _: { counter, unruly in
            _ = await unruly.sendViewEvent(.exit(0)).finish()
            try await until(unruly, "failed (success): the worker ended: exited with code 0")
            #expect(await counter.sendViewEvent(.add(1)).finish() == .finished)
            #expect("\(counter.hostStatus)".hasPrefix("serving, incarnation 1, "))
        }
    }
}
