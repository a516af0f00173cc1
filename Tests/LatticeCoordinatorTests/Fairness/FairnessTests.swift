import LatticeCoding
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@testable import LatticeCoordinator

/// Tests how much one client can affect the others.
@Suite(.timeLimit(.minutes(10)))
struct FairnessTests {
    private static let key = FeatureRegistry.Key(feature: "journal", instance: "")

    // MARK: A share

    @Test("A client with its maximum of running effects blocks only itself, also after it reconnects (F83)")
    func aShare() async throws {
        var configuration = CoordinatorConfiguration.patient
        configuration.maximumEventsPerClient = 20
        try await withClients(configuration) { bench, one, other in
            let gate = Gates.makeName()
            let running = (0..<20).map { _ in one.channel.send(.wait(1, gate: gate)) }
            try await Gates.untilArrived(gate, count: 20)
            let count = "20 events of this client"
            await expectOverloaded(one.channel.send(.add(1)), count)
            // Neither another channel nor another connection is another share.
            let second = one.client.open(TestClient.Recorder())
            await expectOverloaded(second.send(.add(1)), count)
            try await one.client.disconnect()
            try await one.client.connect()
            await expectOverloaded(one.channel.send(.add(1)), count)
            // Others have theirs.
            #expect(await other.channel.send(.add(5)).finish() == .finished)
            let host = try await bench.host()
            #expect(await host.viewModel.sendViewEvent(.add(6)).finish() == .finished)
            // With each that ends there is room for one.
            running[7].cancel()
            #expect(await running[7].finish() == .cancelled)
            #expect(await one.channel.send(.add(1)).finish() == .finished)
            Gates.open(gate)
            for (number, event) in running.enumerated() where number != 7 { #expect(await event.finish() == .finished) }
        }
    }

    private func expectOverloaded(_ event: EventTask, _ count: String) async {
        guard case .rejected(let rejection) = await event.finish() as EventOutcome else {
            Issue.record("taken")
            return
        }
        #expect(rejection.code == .overloaded)
        #expect(rejection.reason.contains(count))
    }

    // MARK: Turns

    @Test("An event of another client waits behind at most 128 events of a flooding client, and all end in order (F84)")
    func aFlood() async throws {
        try await withClients { bench, one, other in
            try await bench.killWorker()
            let flood = (1...3000).map { one.channel.send(.add($0)) }
            try await untilRunning(bench, 3000)
            let late = other.channel.send(.add(-1))
            try await untilRunning(bench, 3001)
            bench.startWorker()
            #expect(await late.finish() == .finished)
            for event in flood { #expect(await event.finish() == .finished) }
            let entries = try await #require(bench.host().acknowledgedState).entries
            #expect(entries.firstIndex(of: -1) == ShareLimits().maximumInFlight)
            #expect(entries.filter { $0 > 0 } == Array(1...3000))
        }
    }

    @Test("A client that sends more than its maximum without waiting is rejected, and other clients are not (F84)")
    func aFloodOnTheWire() async throws {
        var configuration = CoordinatorConfiguration.patient
        configuration.maximumEventsPerClient = 2000
        try await CoordinatorBench.with(configuration: configuration) { bench in
            bench.startWorker()
            let other = bench.makeClient(identity: 2)
            let channel = other.open(TestClient.Recorder())
            try await other.connect()
            #expect(await channel.send(.nothing).finish() == .finished)
            let (near, far) = MemoryConnection.pair(eventLoop: bench.reactor)
            let recorder = SessionRecorder()
            let hello = Handshakes.hello(
                role: .client,
                incarnation: 0,
                token: [],
                identity: [UInt8](repeating: 1, count: 16)
            )
            let flooding = Session(over: near, as: .initiator(hello), handler: recorder)
            bench.clients.accept(far)
            flooding.start()
            try await recorder.record.until { $0.peer != nil }
            flooding.send { $0.addOpen(Open(feature: "journal", schema: 1), on: 1) }
            try await recorder.record.until { $0.messages.contains { $0.kind == .opened } }
            // Whatever the worker does, it acknowledges nothing of it.
            try await bench.killWorker()
            let action = try CBOREncoder().encode(JournalFeature.Action.add(1))
            flooding.send { queue in
                for event in 1...3000 as ClosedRange<UInt64> { queue.addEvent(event, action: action, on: 1) }
            }
            let record = try await recorder.record.until { $0.hasOutcome(of: 3000) }
            #expect(
                record.outcomes.allSatisfy { if case .rejected(.overloaded, _, _) = $0.outcome { true } else { false } }
            )
            #expect(record.outcomes.map(\.event) == Array(2001...3000))
            let late = channel.send(.add(-1))
            try await untilRunning(bench, 2001)
            bench.startWorker()
            #expect(await late.finish() == .finished)
            let all = try await recorder.record.until { $0.hasOutcome(of: 2000) }
            #expect(all.outcomes.reduce(0) { $0 + Int(($1.through ?? $1.event) - $1.event) + 1 } == 3000)
            #expect(all.closed == 0)
            let entries = try await #require(bench.host().acknowledgedState).entries
            #expect(entries.count == 2001)
            // The client's first event came shortly before the flood, so only the smaller limit of events is ahead of
            // this one, and one event that was sent after that time had passed.
            #expect(entries.firstIndex(of: -1) == ShareLimits().maximumInFlightUnderContention + 1)
        }
    }

    @Test("Events of one client are applied in the order in which it sent them, on whichever channels")
    func orderAcrossChannels() async throws {
        try await withClients { bench, one, _ in
            let second = one.client.open(TestClient.Recorder())
            #expect(await second.send(.nothing).finish() == .finished)
            try await bench.killWorker()
            let events = (1...600).map { ($0 % 3 == 0 ? second : one.channel).send(.add($0)) }
            try await untilRunning(bench, 600)
            bench.startWorker()
            for event in events { #expect(await event.finish() == .finished) }
            #expect(try await bench.host().acknowledgedState?.entries == Array(1...600))
        }
    }

    @Test("An event that is cancelled while it waits ends at once, and is never applied")
    func cancelledInTheQueue() async throws {
        try await withClients { bench, one, _ in
            try await bench.killWorker()
            let events = (1...400).map { one.channel.send(.add($0)) }
            try await untilRunning(bench, 400)
            for event in events[200..<300] { event.cancel() }
            // There is no worker that could have been asked.
            for event in events[200..<300] { #expect(await event.finish() == .cancelled) }
            bench.startWorker()
            for event in events[..<200] + events[300...] { #expect(await event.finish() == .finished) }
            #expect(try await bench.host().acknowledgedState?.entries == Array(1...200) + Array(301...400))
        }
    }

    @Test("A waiting event is applied once, although the client's connection or the worker is lost meanwhile")
    func losses() async throws {
        try await withClients { bench, one, other in
            try await bench.killWorker()
            let events = (1...500).map { one.channel.send(.add($0)) }
            try await untilRunning(bench, 500)
            try await one.client.disconnect()
            bench.startWorker()
            #expect(await other.channel.send(.add(-1)).finish() == .finished)
            try await bench.killWorker()
            try await one.client.connect()
            bench.startWorker()
            for event in events { #expect(await event.finish() == .finished) }
            #expect(try await bench.host().acknowledgedState?.entries.filter { $0 > 0 } == Array(1...500))
        }
    }

    @Test("Waiting events of a released instance end cancelled, as running ones do")
    func released() async throws {
        try await withClients { bench, one, _ in
            try await bench.killWorker()
            let events = (1...400).map { one.channel.send(.add($0)) }
            try await untilRunning(bench, 400)
            bench.registry.release(Self.key)
            for event in events { #expect(await event.finish() == .cancelled) }
        }
    }

    @Test("Waiting events of a worker that is given up are rejected, as later events are")
    func givenUp() async throws {
        try await withClients { bench, one, _ in
            try await bench.killWorker()
            let events = (1...400).map { one.channel.send(.add($0)) }
            try await untilRunning(bench, 400)
            bench.supervisor.channels.close(
                reason: "it died too often",
                interruption: Interruption(cause: .disconnected, incarnation: 0)
            )
            for event in events { #expect(await event.finish() == .rejected(.closed)) }
        }
    }

    // MARK: Clients that do not come back

    @Test("Effects of a client that does not come back continue, unless the feature cancels them (F83)")
    func lostClients() async throws {
        for cancels in [false, true] {
            var configuration = CoordinatorConfiguration.patient
            if cancels { configuration.cancelEffectsOfLostClients(JournalFeature.self) }
            try await withClients(configuration) { bench, one, other in
                let gate = Gates.makeName()
                _ = one.channel.send(.wait(7, gate: gate))
                try await Gates.untilArrived(gate)
                try await lose(one.client, bench)
                if cancels { try await Gates.untilCancelled(gate) }
                Gates.open(gate)
                guard !cancels else { return #expect(await other.channel.send(.nothing).finish() == .finished) }
                try await other.recorder.record.until { $0.states.last == .init(sum: 0, count: 2, last: -7) }
            }
        }
    }

    @Test(
        "Disconnected clients together run one client's maximum of effects, and beyond it the first is cancelled (F83)"
    )
    func lostShare() async throws {
        var configuration = CoordinatorConfiguration.patient
        configuration.maximumEventsPerClient = 10
        try await withClients(configuration) { bench, one, other in
            var gates: [String] = []
            for identity in 11...13 as ClosedRange<UInt8> {
                let client = bench.makeClient(identity: identity)
                let channel = client.open(TestClient.Recorder())
                // A client without an identity cannot come back after its connection has ended.
                let hasIdentity = identity != 12
                try await client.connect(hasIdentity: hasIdentity)
                let gate = Gates.makeName()
                gates.append(gate)
                for _ in 0..<4 { _ = channel.send(.wait(1, gate: gate)) }
                try await Gates.untilArrived(gate, count: 4)
                if hasIdentity { try await lose(client, bench) } else { try await client.disconnect() }
            }
            try await Gates.untilCancelled(gates[0], count: 4)
            for gate in gates { Gates.open(gate) }
            try await other.recorder.record.until { $0.states.last?.count == 12 + 8 }
        }
    }

    @Test(
        "Effects of a channel whose number the client reused for another instance are cancelled with the others (F83)"
    )
    func leftBehind() async throws {
        var configuration = CoordinatorConfiguration.patient
        configuration.cancelEffectsOfLostClients(JournalFeature.self)
        try await CoordinatorBench.with(configuration: configuration) { bench in
            bench.startWorker()
            let gate = Gates.makeName()
            let first = bench.makeClient(identity: 1)
            let channel = first.open(TestClient.Recorder())
            try await first.connect()
            _ = channel.send(.wait(7, gate: gate))
            try await Gates.untilArrived(gate)
            try await first.disconnect()
            // It knows nothing of the record, and takes the number for another instance.
            let second = bench.makeClient(identity: 1)
            let recorder = TestClient.Recorder()
            _ = second.open(recorder, instance: "other")
            try await second.connect()
            try await recorder.record.until { $0.opened == 1 }
            #expect(Gates.arrivals(gate) == 1)
            try await lose(second, bench)
            try await Gates.untilCancelled(gate)
        }
    }

    // MARK: Channels and connections

    @Test("A client has a maximum of channels to one instance, and the error for the next one names it (F83)")
    func channels() async throws {
        try await withClients { bench, one, other in
            let recorders = (2...65).map { _ in TestClient.Recorder() }
            let channels = recorders.map { one.client.open($0) }
            let refused = try await recorders[63].record.until { $0.refusal != nil }
            #expect(refused.refusal == .tooMany)
            #expect(
                refused.rejection?.reason
                    == "A client has at most 64 channels to the same instance. Close some, or use one for all."
            )
            #expect(await channels[62].send(.add(1)).finish() == .finished)
            // Another instance has its own, and so has another client.
            #expect(await one.client.open(TestClient.Recorder(), instance: "2").send(.add(1)).finish() == .finished)
            #expect(await other.client.open(TestClient.Recorder()).send(.add(1)).finish() == .finished)
            // There is room again.
            one.client.channels.remove(channels[0].channel)
            #expect(await one.client.open(TestClient.Recorder()).send(.add(1)).finish() == .finished)
        }
    }

    @Test("A client that opened nothing leaves nothing behind, however often it connects under a new name (F84)")
    func nothingLeft() async throws {
        try await CoordinatorBench.with(maximumClients: 4) { bench in
            bench.startWorker()
            let away = bench.makeClient(identity: 1)
            let channel = away.open(TestClient.Recorder())
            try await away.connect()
            let gate = Gates.makeName()
            let running = channel.send(.wait(1, gate: gate))
            try await Gates.untilArrived(gate)
            try await away.disconnect()
            for identity in 2...40 as ClosedRange<UInt8> {
                let client = bench.makeClient(identity: identity)
                try await client.connect()
                try await client.disconnect()
            }
            #expect(bench.clients.known.count { $0.absentSince != nil } == 1)
            // It has missed nothing.
            Gates.open(gate)
            try await away.connect()
            #expect(await running.finish() == .finished)
        }
    }

    // MARK: Support

    private struct Connected {
        let client: TestClient
        let channel: TestClient.Channel
        let recorder: TestClient.Recorder
    }

    private func withClients(
        _ configuration: CoordinatorConfiguration = .patient,
        _ body: (CoordinatorBench, Connected, Connected) async throws -> Void
    ) async throws {
        try await CoordinatorBench.with(configuration: configuration) { bench in
            bench.startWorker()
            var connected: [Connected] = []
            for identity in 1...2 as ClosedRange<UInt8> {
                let (client, recorder) = (bench.makeClient(identity: identity), TestClient.Recorder())
                let channel = client.open(recorder)
                try await client.connect()
                try await recorder.record.until { $0.opened == 1 }
                connected.append(Connected(client: client, channel: channel, recorder: recorder))
            }
            try await body(bench, connected[0], connected[1])
        }
    }

    /// Waits until the coordinator has this many unfinished events of clients.
    private func untilRunning(_ bench: CoordinatorBench, _ count: Int) async throws {
        try await poll {
            await bench.reactor.run {
                bench.clients.known.flatMap(\.channels).map { $0.server.remembered.running.count }.reduce(0, +) == count
            }
        }
    }

    /// A client loses its connection and is away for longer than it is waited for.
    private func lose(_ client: TestClient, _ bench: CoordinatorBench) async throws {
        try await client.disconnect()
        while bench.clients.known.allSatisfy({ $0.absentSince == nil }) {
            try Task.checkCancellation()
            await Task.yield()
        }
        await bench.tick(after: .seconds(61))
    }
}

extension SessionRecorder.Record {
    fileprivate var outcomes: [CompletionMessage] { messages.compactMap(Self.outcome) }

    /// Whether that of the last event has come, behind which little else does.
    fileprivate func hasOutcome(of event: UInt64) -> Bool {
        messages.suffix(64).compactMap(Self.outcome).contains { $0.event...($0.through ?? $0.event) ~= event }
    }

    private static func outcome(_ message: SessionRecorder.Message) -> CompletionMessage? {
        message.kind == .completion ? try? CompletionMessage(decoding: message.body) : nil
    }
}
