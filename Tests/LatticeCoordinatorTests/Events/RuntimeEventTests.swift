import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeTestSupport
import Testing

@testable import LatticeCoordinator

/// Tests the runtime events of a coordinator without processes.
@Suite(.timeLimit(.minutes(10)))
struct RuntimeEventTests {
    @Test("The death of a worker is a list of events: its cause, the decision, and the next incarnation")
    func death() async throws {
        let list = EventList()
        try await WorkerSupervisorTests().withSupervisor([.serves]) {
            $0.observers = [list.observer(of: .workers.union([.sessionOpened, .sessionEnded]))]
        } _: { bench in
            #expect(await bench.channel.send(.add(1)).finish() == .finished)
            bench.launcher.kill(.signal(11))
            try await bench.until("serving, incarnation 2, process 102")
            // No session is remembered longer than it lasts.
            #expect(bench.supervisor.core.withLock { $0.workers.values.map(\.incarnation) } == [2])
        }
        #expect(
            list.lines.prefix(8) == [
                "workerStarted 1", "sessionOpened worker 1", "workerServing 1", "sessionEnded worker 1",
                "workerTerminated 1, killed by signal 11 (SIGSEGV), restart 1",
                "workerStarted 2", "sessionOpened worker 2", "workerServing 2",
            ]
        )
        // A supervisor that is cancelled does not wait for the end of the session.
        #expect(list.lines.contains("workerTerminated 2, killed by signal 15 (SIGTERM), stop"))
        let worker = RuntimeEvent.Worker(member: RuntimeEvent.Member(), incarnation: 1, processID: 101)
        #expect(list.events.value.first == .workerStarted(worker))
        let ended = list.events.value.compactMap { if case .sessionEnded(let peer, _) = $0 { peer } else { nil } }
        #expect(ended.first == .worker(worker))
        let ends = list.events.value.compactMap { if case .workerTerminated(let end) = $0 { end } else { nil } }
        let end = try #require(ends.first)
        #expect(end.worker == worker && end.report?.processID == 101)
        #expect(end.verdict == .restart(.init(attempt: 1, delay: .milliseconds(1), cause: .signal(11))))
    }

    @Test("A worker that cannot start is a list of events, up to the end of the attempts")
    func failedStarts() async throws {
        let list = EventList()
        try await WorkerSupervisorTests().withSupervisor([.lacks, .fails, .ends(.exit(code: 3))]) {
            $0.observers = [list.observer(of: .workers)]
            $0.restart.maximumFailedStarts = 1
            $0.restart.probeDelay = nil
        } _: { bench in
            try await bench.until("failed")
        }
        #expect(
            list.lines == [
                "workerLacksResources", "workerStartFailed",
                "workerTerminated 1, exited with code 127, restart 1", "workerStarted 2",
                "workerTerminated 2, exited with code 3, giveUp", "workerGivenUp",
            ]
        )
    }

    @Test("An event of a client is accepted, sent and ended under one ID, around the states that contain it")
    func eventOfAClient() async throws {
        let list = EventList()
        var configuration = CoordinatorConfiguration.patient
        configuration.observers = [list.observer(of: .events.union(.states).union(.instances))]
        try await CoordinatorBench.with(configuration: configuration) { bench in
            bench.startWorker()
            let client = bench.makeClient(identity: 1)
            let recorder = TestClient.Recorder()
            let channel = client.open(recorder)
            try await client.connect()
            try await recorder.record.until { $0.opened == 1 }
            let before = list.events.value.count
            let task = channel.send(.add(5))
            #expect(await task.finish() == .finished)
            let id = try #require(task.id)
            let events = list.events.value.dropFirst(before)
            #expect(
                events.map(\.kind) == [.eventAccepted, .eventSent, .stateAccepted, .statePublished, .eventEnded]
            )
            #expect(Array(events)[...1] == [.eventAccepted(id), .eventSent(id)])
            let end = try #require(events.last?.end)
            #expect(end.event == id && end.outcome == .finished && end.duration > .zero)
            let instance = RuntimeEvent.Instance(feature: "journal", key: "")
            #expect(list.events.value.first == .instanceOpened(instance))
            bench.registry.release(FeatureRegistry.Key(feature: "journal", instance: ""))
            #expect(list.kinds.contains(.instanceClosed))
        }
    }

    @Test("An event of the coordinator's own view model is sent and ended, and is interrupted with its worker")
    func ownEvent() async throws {
        let list = EventList()
        var configuration = CoordinatorConfiguration.patient
        configuration.observers = [list.observer(of: .events)]
        try await CoordinatorBench.with(configuration: configuration) { bench in
            bench.startWorker()
            let host = try await bench.host()
            try await host.whenOpened()
            let gate = Gates.makeName()
            let task = await host.viewModel.sendViewEvent(.wait(1, gate: gate))
            try await Gates.untilArrived(gate)
            try await bench.killWorker()
            let outcome = await task.finish()
            #expect(outcome == .interrupted(Interruption(cause: .signal(9), incarnation: 1)))
            let id = try #require(task.id)
            try await list.until(.eventEnded)
            #expect(list.events.value.first == .eventSent(id) && list.events.value.count == 2)
            let end = try #require(list.events.value.last?.end)
            #expect(end.event == id && end.outcome == outcome && end.duration > .zero)
        }
    }

    @Test("An event that is rejected at once has an end and no beginning")
    func rejected() async throws {
        let list = EventList()
        var configuration = CoordinatorConfiguration.patient
        configuration.maximumEventsPerClient = ShareLimits().guaranteedEvents
        configuration.observers = [list.observer(of: [.eventAccepted, .eventEnded])]
        try await CoordinatorBench.with(configuration: configuration) { bench in
            bench.startWorker()
            let client = bench.makeClient(identity: 1)
            let channel = client.open(TestClient.Recorder())
            try await client.connect()
            let gate = Gates.makeName()
            let running = (0..<4).map { channel.send(.wait($0, gate: gate)) }
            try await Gates.untilArrived(gate, count: 4)
            guard case .rejected = await channel.send(.add(1)).finish() as EventOutcome else {
                Issue.record("it was taken")
                return
            }
            let accepted = (1...4).map { "eventAccepted \($0)" }
            #expect(list.lines.prefix(4) == accepted[...])
            #expect(list.lines.count == 5 && list.lines[4].hasPrefix("eventEnded 5, rejected: overloaded"))
            Gates.open(gate)
            for event in running { #expect(await event.finish() == .finished) }
        }
    }

    @Test("A client joins once, has a session for each connection, and leaves when it is forgotten")
    func client() async throws {
        let list = EventList()
        var configuration = CoordinatorConfiguration.patient
        configuration.observers = [list.observer(of: [.clientJoined, .clientLeft, .sessionOpened, .sessionEnded])]
        try await CoordinatorBench.with(configuration: configuration) { bench in
            bench.startWorker()
            try await list.until(.sessionOpened)
            let client = bench.makeClient(identity: 1)
            let recorder = TestClient.Recorder()
            _ = client.open(recorder)
            try await client.connect()
            try await recorder.record.until { $0.opened == 1 }
            try await client.disconnect()
            try await list.until(.sessionEnded)
            try await client.connect()
            try await client.disconnect()
            try await list.until(.sessionEnded, count: 2)
            await bench.tick(after: .seconds(3600))
            let kinds = list.kinds.dropFirst()
            #expect(
                kinds == [.clientJoined, .sessionOpened, .sessionEnded, .sessionOpened, .sessionEnded, .clientLeft]
            )
            guard case .clientJoined(let joined)? = list.events.value.dropFirst().first else {
                Issue.record("it is \(list.events.value)")
                return
            }
            #expect(joined.sender == client.name)
        }
    }

    @Test(
        "Observers of the program come before the log, and a kind that is not logged is wanted only if an observer asks for it"
    )
    func configuration() {
        let received = Watched<[String]>([])
        let log = LogLines()
        var configuration = CoordinatorConfiguration()
        configuration.logger = log.makeLogger()
        #expect(!configuration.events.wants(.eventSent) && configuration.events.wants(.workerTerminated))
        configuration.observers = [
            RuntimeObserver(of: [.eventSent, .callsHeld]) { event in
                received.change { $0.append("\(event.kind) after \(log.lines.count)") }
            }
        ]
        #expect(configuration.events.wants(.eventSent) && !configuration.events.wants(.eventEnded))
        configuration.events.emit(.callsHeld, .callsHeld(reason: "it waits"))
        #expect(received.value == ["callsHeld after 0"] && log.lines == ["it waits"])
    }
}
