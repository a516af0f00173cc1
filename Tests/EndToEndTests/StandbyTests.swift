import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Tests standby workers.
@MainActor @Suite(.timeLimit(.minutes(10))) struct StandbyTests {
    @Test("A standby worker continues from the state after each death, and none is left at the end")
    func deaths() async throws {
        var configuration = configuration(workers: Programs.path("unruly"))
        configuration.standby = true
        configuration.restart.initialDelay = .milliseconds(1)
        configuration.restart.intensity.restarts = 100
        var processes: [Int32] = []
        try await withCoordinator(hosting: UnrulyFeature.self, configuration: configuration) { coordinator in
            let unruly = try await coordinator.viewModel(UnrulyFeature.self)
            for incarnation in 1...20 {
                let process = try servingProcess(unruly)
                processes.append(process)
                let waiting = unruly.sendViewEvent(.wait)
                #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
                kill(process, SIGKILL)
                let end = Interruption(cause: .signal(SIGKILL), incarnation: UInt64(incarnation))
                #expect(await waiting.finish() == .interrupted(end))
                #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
                #expect(unruly.viewState == 2 * incarnation)
            }
            processes.append(try servingProcess(unruly))
        }
        #expect(Set(processes).count == 21)
        for process in processes { #expect(!isThere(process)) }
    }

    @Test("The figures contain the process of a standby")
    func figures() async throws {
        var configuration = configuration(workers: Programs.path("unruly"))
        configuration.standby = true
        try await withCoordinator(hosting: UnrulyFeature.self, configuration: configuration) { coordinator in
            let process = try servingProcess(try await coordinator.viewModel(UnrulyFeature.self))
            try await poll { await coordinator.figures().processes.count == 3 }
            let figures = await coordinator.figures()
            #expect(figures.workers.count == 1)
            #expect(figures.processes.count { $0.group == "" } == 2)
            #expect(figures.processes.contains { $0.processID == process })
        }
    }

    @Test("An event that ends two workers goes to quarantine although the second was a standby")
    func poison() async throws {
        var configuration = configuration(workers: Programs.path("unruly"))
        configuration.standby = true
        configuration.limits.turnTimeout = .seconds(60)
        try await withCoordinator(hosting: UnrulyFeature.self, configuration: configuration) { coordinator in
            let unruly = try await coordinator.viewModel(UnrulyFeature.self)
            let poison = unruly.sendViewEvent(.crash(unless: "/nowhere"))
            #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
            guard case .rejected(let rejection) = await poison.finish() as EventOutcome else {
                Issue.record("it ended \(String(describing: poison.outcome))")
                return
            }
            #expect(rejection.code == .quarantined)
            #expect(coordinator.quarantine.events.map(\.incarnations) == [[1, 2]])
        }
    }
}
