import Foundation
import LatticeCoordinator
import LatticeCore
import LatticeFaults
import LatticeTestSupport
import Testing

/// Several workers, of several executables, under one coordinator.
@MainActor @Suite(.timeLimit(.minutes(2))) struct WorkerGroupTests {
    private func configuration(restart: RestartPolicy? = nil) -> CoordinatorConfiguration {
        var configuration = EndToEndTests.configuration(workers: Programs.path("counter"))
        var unruly = WorkerGroup("unruly", of: UnrulyFeature.self)
        unruly.executable = Programs.path("unruly")
        unruly.restart = restart
        configuration.groups = [unruly]
        return configuration
    }

    @Test("what dies in one group is started again, and the worker of another group does not notice")
    func deathsStayInTheirGroup() async throws {
        try await withCoordinator(
            hosting: Counter.self,
            UnrulyFeature.self,
            configuration: configuration()
        ) { coordinator in
            let counter = try await coordinator.viewModel(Counter.self)
            let unruly = try await coordinator.viewModel(UnrulyFeature.self)
            let process = try servingProcess(counter)
            #expect(try servingProcess(unruly) != process)
            for number in 1...3 {
                let event = unruly.sendViewEvent(.wait)
                #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
                kill(try servingProcess(unruly), SIGKILL)
                #expect(await counter.sendViewEvent(.add(number)).finish() == .finished)
                let cause = Interruption(cause: .signal(SIGKILL), incarnation: UInt64(number))
                #expect(await event.finish() == .interrupted(cause))
                #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
            }
            #expect(counter.viewState == "sum 6")
            #expect(unruly.viewState == 6)
            #expect(try servingProcess(counter) == process)
        }
    }

    @Test("a group that is given up on is started again by hand; the others serve on")
    func givenUp() async throws {
        var restart = RestartPolicy()
        restart.kind = .temporary
        try await withCoordinator(
            hosting: Counter.self,
            UnrulyFeature.self,
            configuration: configuration(restart: restart)
        ) { coordinator in
            let counter = try await coordinator.viewModel(Counter.self)
            let unruly = try await coordinator.viewModel(UnrulyFeature.self)
            let process = try servingProcess(counter)
            #expect(await unruly.sendViewEvent(.add(5)).finish() == .finished)
            let end = await unruly.sendViewEvent(.exit(3)).finish() as EventOutcome
            #expect(end == .interrupted(Interruption(cause: .exit(code: 3), incarnation: 1)))
            guard case .rejected(let rejection) = await unruly.sendViewEvent(.add(1)).finish() as EventOutcome else {
                Issue.record("an event was taken that no worker can get")
                return
            }
            #expect(rejection.code == .closed)
            #expect(await counter.sendViewEvent(.add(2)).finish() == .finished)
            await coordinator.resetWorker()
            #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
            #expect(unruly.viewState == 6)
            #expect(try servingProcess(counter) == process)
        }
    }

    @Test("a feature knows its group, in the worker too")
    func groupIsKnown() async throws {
        var configuration = EndToEndTests.configuration(workers: Programs.path("subject"))
        configuration.groups = [WorkerGroup("texts", of: WordsFeature.self)]
        try await withCoordinator(hosting: WordsFeature.self, configuration: configuration) { coordinator in
            let words = try await coordinator.viewModel(WordsFeature.self)
            #expect(await words.sendViewEvent(.add("a")).finish() == .finished)
            #expect(coordinator.acknowledgedState(of: WordsFeature.self)?.group == "texts")
        }
    }

    @Test("things go wrong by plan in one group, and in no other")
    func faultsOfOneGroup() async throws {
        var configuration = configuration()
        configuration.inject(FaultPlan([]), into: .workers)
        let record = configuration.inject(
            FaultPlan([.start(0, .crash), .reading(at: 0, .kill, on: 1)]),
            into: .group("unruly")
        )
        try await withCoordinator(hosting: Counter.self, UnrulyFeature.self, configuration: configuration) {
            coordinator in
            let counter = try await coordinator.viewModel(Counter.self)
            let unruly = try await coordinator.viewModel(UnrulyFeature.self)
            #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
            #expect(await counter.sendViewEvent(.add(1)).finish() == .finished)
            guard case .serving(let first) = counter.hostStatus, case .serving(let third) = unruly.hostStatus else {
                Issue.record("\(counter.hostStatus), \(unruly.hostStatus)")
                return
            }
            #expect(first.incarnation == 1)
            #expect(third.incarnation == 3)
        }
        #expect(record.struck.count == 2)
    }
}
