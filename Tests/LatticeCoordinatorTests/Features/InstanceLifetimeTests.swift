import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@testable import LatticeCoordinator

/// Tests how instances begin and how they are released automatically.
@Suite(.timeLimit(.minutes(10))) struct InstanceLifetimeTests {
    private static let key = FeatureRegistry.Key(feature: "journal", instance: "i")

    private func withBench(
        _ configuration: CoordinatorConfiguration = .patient,
        _ body: @MainActor (CoordinatorBench) async throws -> Void
    ) async throws {
        try await CoordinatorBench.with(configuration: configuration) { try await body($0) }
    }

    private func initialState(
        _ entries: [Int]
    ) async throws(ConfigurationError) -> InitialState<JournalFeature.DomainState> {
        try await .coding(JournalFeature.DomainState(entries: entries), of: "journal", maximum: 100)
    }

    @Test("An instance starts from its given state, in the worker too and after each restart")
    func initialState() async throws {
        try await withBench { bench in
            let host = try await bench.host(JournalFeature.self, "i", startingFrom: initialState([1, 2]))
            #expect(host.viewModel.viewState == .init(sum: 3, count: 2, last: 2))
            bench.startWorker()
            try await host.whenOpened()
            #expect(host.acknowledgedState == .init(entries: [1, 2]))
            #expect(host.viewModel.viewState == .init(sum: 3, count: 2, last: 2))
            try await bench.killWorker()
            bench.startWorker()
            #expect(await host.viewModel.sendViewEvent(.add(3)).finish() == .finished)
            #expect(host.viewModel.viewState == .init(sum: 6, count: 3, last: 3))
            try await bench.killWorker()
            bench.startWorker()
            #expect(await host.viewModel.sendViewEvent(.add(4)).finish() == .finished)
            #expect(host.acknowledgedState == .init(entries: [1, 2, 3, 4]))
        }
    }

    @Test("A state that cannot be decoded is replaced by the given initial state")
    func firstStateOfNoUse() async throws {
        try await withBench { bench in
            let host = try await bench.host(JournalFeature.self, "i", startingFrom: initialState([1, 2]))
            bench.startWorker()
            try await host.whenOpened()
            let outcome: EventOutcome = await host.viewModel.sendViewEvent(.damage("undecodable")).finish()
            guard case .failed(let failure) = outcome else {
                Issue.record("it did not fail")
                return
            }
            #expect(failure.type == "StateNotDecodable")
            #expect(host.acknowledgedState == .init(entries: [1, 2]))
            #expect(await host.viewModel.sendViewEvent(.damage(nil)).finish() == .finished)
            #expect(await host.viewModel.sendViewEvent(.add(3)).finish() == .finished)
            #expect(host.viewModel.viewState.sum == 6)
        }
    }

    @Test("Events are applied to the given initial state")
    func changesOfAGivenState() async throws {
        try await withBench { bench in
            var first = ArchiveFeature.initialDomainState(in: HostContext())
            first.handle(7)
            let state = try await InitialState.coding(first, of: "archive", maximum: 1000)
            let host = try await bench.host(ArchiveFeature.self, "i", startingFrom: state)
            bench.startWorker()
            #expect(await host.viewModel.sendViewEvent(.init(number: 8)).finish() == .finished)
            #expect(host.acknowledgedState?.numbers == [7, 8])
        }
    }

    @Test("Events in flight end cancelled when an instance is closed while its worker is away")
    func closedWithoutAWorker() async throws {
        try await withBench { bench in
            bench.startWorker()
            let host = try await bench.host("i")
            try await host.whenOpened()
            let gate = Gates.makeName()
            let running = host.viewModel.sendViewEvent(.wait(1, gate: gate))
            try await Gates.untilArrived(gate)
            try await bench.killWorker()
            let waiting = host.viewModel.sendViewEvent(.add(2))
            bench.registry.release(Self.key)
            #expect(await waiting.finish() == .cancelled)
            _ = await running.finish()
        }
    }

    @Test("An existing instance keeps its state, and a different initial state is refused")
    func instanceThatIsThere() async throws {
        try await withBench { bench in
            bench.startWorker()
            let host = try await bench.host("i")
            #expect(await host.viewModel.sendViewEvent(.add(3)).finish() == .finished)
            let error = await #expect(throws: CoordinatorError.self) {
                _ = try await bench.host(JournalFeature.self, "i", startingFrom: initialState([1]))
            }
            #expect(error == .exists("journal", "i"))
            #expect(error?.code == .exists)
            #expect(try await bench.host("i") === host)
            #expect(host.viewModel.viewState.sum == 3)
            let other = try await bench.host(JournalFeature.self, "j", startingFrom: initialState([1]))
            try await other.whenOpened()
            #expect(other.viewModel.viewState.sum == 1)
        }
    }

    @Test("An initial state that cannot be sent is refused before the instance is created")
    func badInitialStates() async {
        var damaged = JournalFeature.DomainState()
        damaged.damage = .unencodable
        await #expect(throws: ConfigurationError.self) {
            _ = try await InitialState.coding(damaged, of: "journal", maximum: 1000)
        }
        let error = await #expect(throws: ConfigurationError.self) {
            _ = try await initialState(Array(repeating: .max, count: 20))
        }
        #expect(
            error?.message
                == "The initial state of \"journal\" has 199 bytes, but at most 100 are allowed. Make it smaller, or raise"
                + " maximumStateBytes."
        )
    }

    // MARK: Idleness

    private func withIdleTimeout(
        _ idleTimeout: Duration,
        _ body: @MainActor (CoordinatorBench, TestClient, TestClient.Channel) async throws -> Void
    ) async throws {
        var configuration = CoordinatorConfiguration.patient
        configuration.closeWhenIdle(JournalFeature.self, after: idleTimeout)
        try await withBench(configuration) { bench in
            bench.startWorker()
            let client = bench.makeClient(identity: 1)
            let recorder = TestClient.Recorder()
            let channel = client.open(recorder, instance: "i")
            try await client.connect()
            #expect(await channel.send(.add(1)).finish() == .finished)
            try await body(bench, client, channel)
        }
    }

    @MainActor private func untilGone(_ bench: CoordinatorBench) async throws {
        while bench.registry.existingHost(Self.key) != nil {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test("An instance is released after its last client left, and the next client gets a new one")
    func idleInstance() async throws {
        try await withIdleTimeout(.milliseconds(1)) { bench, client, channel in
            client.channels.remove(channel.channel)
            try await untilGone(bench)
            let next = client.open(TestClient.Recorder(), instance: "i")
            #expect(await next.send(.add(5)).finish() == .finished)
            let host = try await bench.host("i")
            #expect(host.viewModel.viewState == .init(sum: 5, count: 1, last: 5))
        }
    }

    @Test("An instance stays while one of its events runs")
    func busyInstance() async throws {
        try await withIdleTimeout(.milliseconds(1)) { bench, client, channel in
            let gate = Gates.makeName()
            let host = try #require(bench.registry.existingHost(Self.key) as? FeatureHost<JournalFeature>)
            let event = host.viewModel.sendViewEvent(.wait(3, gate: gate))
            try await Gates.untilArrived(gate)
            client.channels.remove(channel.channel)
            try await untilUnshown(host, bench)
            // The timeout passes many times meanwhile.
            for _ in 0..<20 { await nextMillisecond(bench) }
            #expect(bench.registry.existingHost(Self.key) === host)
            Gates.open(gate)
            #expect(await event.finish() == .finished)
            try await untilGone(bench)
        }
    }

    @Test("An instance that the coordinator's program uses is released only by hand")
    func keptInstance() async throws {
        try await withIdleTimeout(.milliseconds(1)) { bench, client, channel in
            let host = try await bench.host("i")
            host.keep()
            client.channels.remove(channel.channel)
            try await untilUnshown(host, bench)
            for _ in 0..<20 { await nextMillisecond(bench) }
            #expect(bench.registry.existingHost(Self.key) === host)
            bench.registry.release(Self.key)
            #expect(bench.registry.existingHost(Self.key) == nil)
        }
    }

    @Test("A client that comes back within its retention finds its instance")
    func absentClient() async throws {
        try await withIdleTimeout(.milliseconds(1)) { bench, client, channel in
            let host = bench.registry.existingHost(Self.key)
            try await client.disconnect()
            for _ in 0..<20 { await nextMillisecond(bench) }
            #expect(bench.registry.existingHost(Self.key) === host)
            try await client.connect()
            #expect(await channel.send(.add(2)).finish() == .finished)
        }
    }

    @MainActor private func untilUnshown(_ host: FeatureHost<JournalFeature>, _ bench: CoordinatorBench) async throws {
        while await host.channelCount > 0 {
            try Task.checkCancellation()
            await nextMillisecond(bench)
        }
    }

    /// The loop's timers are due by then that were set for a millisecond.
    private func nextMillisecond(_ bench: CoordinatorBench) async {
        await withCheckedContinuation { waiter in
            bench.reactor.execute { [reactor = bench.reactor] in
                reactor.after(milliseconds: 1) { waiter.resume() }
            }
        }
    }

    // MARK: Numbers

    @Test("A client can create a maximum of instances, and can open existing ones beyond it")
    func instancesOfOneClient() async throws {
        var configuration = CoordinatorConfiguration.patient
        configuration.maximumInstancesPerClient = 2
        try await withBench(configuration) { bench in
            bench.startWorker()
            _ = try await bench.host("there")
            let client = bench.makeClient(identity: 1)
            try await client.connect()
            for instance in ["1", "2", "there"] {
                #expect(await client.open(.init(), instance: instance).send(.add(1)).finish() == .finished)
            }
            let recorder = TestClient.Recorder()
            _ = client.open(recorder, instance: "3")
            let refused = try await recorder.record.until { $0.rejection != nil }
            #expect(refused.refusal == .tooMany)
            #expect(refused.rejection?.reason == CoordinatorError.tooManyOfClient(2).message)
            let other = bench.makeClient(identity: 2)
            try await other.connect()
            #expect(await other.open(.init(), instance: "3").send(.add(1)).finish() == .finished)
        }
    }
}
