import Foundation
import LatticeClient
import LatticeCoordinator
import LatticeCore
import LatticeFaults
import LatticeTestSupport
import Testing

/// Several workers, of several executables, under one coordinator.
@MainActor @Suite(.timeLimit(.minutes(10))) struct WorkerGroupTests {
    private func configuration(restart: RestartPolicy? = nil) -> CoordinatorConfiguration {
        var configuration = EndToEndTests.configuration(workers: Programs.path("counter"))
        var unruly = WorkerGroup("unruly", of: UnrulyFeature.self)
        unruly.executable = Programs.path("unruly")
        unruly.restart = restart
        configuration.groups = [unruly]
        return configuration
    }

    @Test("A worker that dies in one group is restarted, and workers of other groups are not affected")
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

    @Test("A group that was given up is restarted by hand, and the other groups keep serving")
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
            // That of another group is no way to it.
            await coordinator.resetWorker(of: Counter.self)
            #expect(unruly.hostStatus.isFailed)
            await coordinator.resetWorker(of: UnrulyFeature.self)
            #expect(await unruly.sendViewEvent(.add(1)).finish() == .finished)
            #expect(unruly.viewState == 6)
            #expect(try servingProcess(counter) == process)
        }
    }

    @Test("Two workers that die at the same moment are both restarted, each with its state (F18)")
    func twoDeathsAtOnce() async throws {
        try await withCoordinator(
            hosting: Counter.self,
            UnrulyFeature.self,
            configuration: configuration()
        ) { coordinator in
            let counter = try await coordinator.viewModel(Counter.self)
            let unruly = try await coordinator.viewModel(UnrulyFeature.self)
            for number in 1...4 {
                let processes = try [servingProcess(counter), servingProcess(unruly)]
                for process in processes { kill(process, SIGKILL) }
                let events = (counter.sendViewEvent(.add(1)), unruly.sendViewEvent(.add(1)))
                #expect(await events.0.finish() == .finished)
                #expect(await events.1.finish() == .finished)
                #expect(counter.viewState == "sum \(number)")
                #expect(unruly.viewState == number)
            }
        }
    }

    @Test("A hanging worker is ended, and clients of another group receive outcomes meanwhile")
    func hangsStayInTheirGroup() async throws {
        var configuration = configuration()
        configuration.heartbeatInterval = .milliseconds(200)
        configuration.limits.turnTimeout = .seconds(3)
        try await withSocketPath { path in
            try await withCoordinator(
                hosting: Counter.self,
                UnrulyFeature.self,
                listeningAt: path,
                configuration: configuration
            ) { coordinator in
                try await withClient(connectingTo: path) { client in
                    let counter = try await client.viewModel(Counter.self)
                    let unruly = try await client.viewModel(UnrulyFeature.self)
                    let hang = unruly.sendViewEvent(.block(marker: path + ".marker"))
                    var sum = 0
                    while hang.outcome == nil {
                        sum += 1
                        #expect(await counter.sendViewEvent(.add(1)).finish() == .finished)
                    }
                    // It was sent again, and did not hang.
                    #expect(hang.outcome == .finished)
                    #expect(counter.viewState == "sum \(sum)")
                    #expect(unruly.viewState == 1)
                    #expect(sum > 2)
                    let other = try await coordinator.viewModel(Counter.self)
                    guard case .serving(let serving) = other.hostStatus else {
                        throw NotServing(host: other.hostStatus)
                    }
                    #expect(serving.incarnation == 1)
                }
            }
        }
    }

    @Test("Features of a group can have a worker each")
    func oneWorkerPerFeature() async throws {
        var configuration = EndToEndTests.configuration(workers: Programs.path("subject"))
        var group = WorkerGroup("each", of: WordsFeature.self, ArchiveFeature.self)
        group.workers = .onePerFeature
        configuration.groups = [group]
        try await withCoordinator(hosting: WordsFeature.self, ArchiveFeature.self, configuration: configuration) {
            coordinator in
            let words = try await coordinator.viewModel(WordsFeature.self)
            let others = try await coordinator.viewModel(WordsFeature.self, instance: "others")
            let archive = try await coordinator.viewModel(ArchiveFeature.self)
            #expect(try servingProcess(words) == servingProcess(others))
            #expect(try servingProcess(words) != servingProcess(archive))
            #expect(coordinator.acknowledgedState(of: WordsFeature.self)?.group == "each")
        }
    }

    private func withWorkersOfInstances(
        atMost limit: Int,
        _ body: (Coordinator, _ path: String) async throws -> Void
    ) async throws {
        var configuration = EndToEndTests.configuration(workers: Programs.path("unruly"))
        var group = WorkerGroup("each", of: UnrulyFeature.self)
        group.workers = .onePerInstance(atMost: limit)
        configuration.groups = [group]
        try await withSocketPath { path in
            try await withCoordinator(hosting: UnrulyFeature.self, listeningAt: path, configuration: configuration) {
                try await body($0, path)
            }
        }
    }

    @Test("Instances can have a worker each, and the death of one worker does not affect other instances")
    func oneWorkerPerInstance() async throws {
        try await withWorkersOfInstances(atMost: 3) { coordinator, path in
            let first = try await coordinator.viewModel(UnrulyFeature.self, instance: "1")
            let second = try await coordinator.viewModel(UnrulyFeature.self, instance: "2", initialDomainState: 20)
            let processes = try [servingProcess(first), servingProcess(second)]
            #expect(processes[0] != processes[1])
            try await withClient(connectingTo: path) { client in
                let third = try await client.viewModel(UnrulyFeature.self, instance: "3")
                #expect(await third.sendViewEvent(.add(3)).finish() == .finished)
                kill(processes[0], SIGKILL)
                #expect(await first.sendViewEvent(.add(1)).finish() == .finished)
                #expect(await third.sendViewEvent(.add(3)).finish() == .finished)
                #expect(third.viewState == 6)
            }
            #expect(await second.sendViewEvent(.add(2)).finish() == .finished)
            #expect(try servingProcess(second) == processes[1])
            #expect(first.viewState == 1)
            #expect(second.viewState == 22)
        }
    }

    @Test("A group has at most its maximum of instances, and the worker of a closed instance leaves")
    func closedInstances() async throws {
        try await withWorkersOfInstances(atMost: 1) { coordinator, path in
            let first = try await coordinator.viewModel(UnrulyFeature.self, instance: "1")
            let process = try servingProcess(first)
            let waiting = first.sendViewEvent(.wait)
            let error = await #expect(throws: CoordinatorError.self) {
                _ = try await coordinator.viewModel(UnrulyFeature.self, instance: "2")
            }
            #expect(error?.code == .tooMany)
            try await withClient(connectingTo: path) { client in
                let error = await #expect(throws: ClientError.self) {
                    _ = try await client.viewModel(UnrulyFeature.self, instance: "2")
                }
                #expect(error?.code == .tooMany)
                #expect(error?.message.contains("\"each\" has 1 worker") == true)
            }
            coordinator.close(UnrulyFeature.self, instance: "1")
            #expect(await waiting.finish() == .cancelled)
            // Its worker is started when the first one's is gone.
            let second = try await coordinator.viewModel(UnrulyFeature.self, instance: "2")
            #expect(!isRunning(process))
            #expect(await second.sendViewEvent(.add(2)).finish() == .finished)
            guard case .failed(let failure) = first.hostStatus else {
                Issue.record("it is \(first.hostStatus)")
                return
            }
            #expect(failure.reason.contains("\"unruly\""))
            #expect(await first.sendViewEvent(.add(1)).finish() == .rejected(.closed))
        }
    }

    @Test("The worker of one instance can be restarted by hand")
    func resetOfOneInstance() async throws {
        var configuration = EndToEndTests.configuration(workers: Programs.path("unruly"))
        var group = WorkerGroup("each", of: UnrulyFeature.self)
        group.workers = .onePerInstance(atMost: 2)
        var restart = RestartPolicy()
        restart.kind = .temporary
        group.restart = restart
        configuration.groups = [group]
        try await withCoordinator(hosting: UnrulyFeature.self, configuration: configuration) { coordinator in
            let first = try await coordinator.viewModel(UnrulyFeature.self, instance: "1")
            let second = try await coordinator.viewModel(UnrulyFeature.self, instance: "2")
            _ = await first.sendViewEvent(.exit(3)).finish()
            _ = await second.sendViewEvent(.exit(3)).finish()
            await coordinator.resetWorker(of: UnrulyFeature.self, instance: "1")
            #expect(await first.sendViewEvent(.add(1)).finish() == .finished)
            #expect(second.hostStatus.isFailed)
            await coordinator.resetWorker(of: UnrulyFeature.self)
            #expect(await second.sendViewEvent(.add(1)).finish() == .finished)
        }
    }

    @Test("A feature knows its group, also in the worker")
    func groupIsKnown() async throws {
        var configuration = EndToEndTests.configuration(workers: Programs.path("subject"))
        configuration.groups = [WorkerGroup("texts", of: WordsFeature.self)]
        try await withCoordinator(hosting: WordsFeature.self, configuration: configuration) { coordinator in
            let words = try await coordinator.viewModel(WordsFeature.self)
            #expect(await words.sendViewEvent(.add("a")).finish() == .finished)
            #expect(coordinator.acknowledgedState(of: WordsFeature.self)?.group == "texts")
        }
    }

    @Test("Planned faults in one group do not affect other groups")
    func faultsOfOneGroup() async throws {
        var configuration = configuration()
        let record = configuration.inject(
            FaultPlan([.start(0, .crash), .reading(at: 0, .kill, on: 1)]),
            into: .group("unruly")
        )
        configuration.inject(FaultPlan([]), into: .workers)
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

extension HostStatus {
    fileprivate var isFailed: Bool { if case .failed = self { true } else { false } }
}
