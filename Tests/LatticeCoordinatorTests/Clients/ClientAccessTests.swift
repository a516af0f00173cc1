import LatticeCore
import LatticeHosting
import LatticeProcess
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@testable import LatticeCoordinator

/// Tests what a client may do, as the program decides.
@Suite(.timeLimit(.minutes(10)))
struct ClientAccessTests {
    /// A configuration whose decision depends on the instance, with the requests that it received.
    private func configuration(_ requests: Watched<[AccessRequest]>) -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration.patient
        configuration.authorization = { request in
            requests.change { $0.append(request) }
            return switch request.instance {
            case "closed": .refused("Only the editor may open this.")
            case "shown": .readOnly("Only the editor may change this.")
            // It is refused when the client comes back.
            case "once" where requests.value.count > 1: .refused("Not again.")
            default: .full
            }
        }
        return configuration
    }

    @Test("A client that may only read gets states, and its events are rejected with the sentence of the program")
    func readOnly() async throws {
        let (requests, list) = (Watched<[AccessRequest]>([]), EventList())
        var configuration = configuration(requests)
        configuration.observers = [list.observer(of: [.eventEnded])]
        try await CoordinatorBench.with(configuration: configuration) { bench in
            bench.startWorker()
            let (reader, writer) = (bench.makeClient(identity: 1), bench.makeClient(identity: 2))
            let recorder = TestClient.Recorder()
            let channel = reader.open(recorder, instance: "shown")
            try await reader.connect(isLocal: true)
            try await recorder.record.until { $0.opened == 1 }
            for _ in 0..<3 {
                let outcome = await channel.send(.add(1)).finish()
                #expect(outcome == .rejected(.readOnly))
                guard case .rejected(let rejection) = outcome else { continue }
                #expect(rejection.reason == "Only the editor may change this.")
            }
            #expect(list.kinds == [.eventEnded, .eventEnded, .eventEnded])
            let states = recorder.record.value.states
            // It was asked once, and not for each event.
            #expect(requests.value.count == 1)
            let own = Peer.Credentials.current
            #expect(requests.value.first?.client.processID == own.processID)
            #expect(requests.value.first?.client.userID == own.userID)
            #expect(requests.value.first?.client.program == ProcessFigures.executable(of: own.processID))
            #expect(requests.value.first?.feature == "journal")

            // The events of the program arrive as states.
            let host = try await bench.host("shown")
            #expect(await host.viewModel.sendViewEvent(.add(7)).finish() == .finished)
            try await recorder.record.until { $0.states.count > states.count }
            // Another client may do more at another instance.
            let open = writer.open(TestClient.Recorder(), instance: "open")
            try await writer.connect()
            #expect(await open.send(.add(1)).finish() == .finished)
        }
    }

    @Test("A client that is refused opens nothing, and the instance is not created")
    func refused() async throws {
        let requests = Watched<[AccessRequest]>([])
        try await CoordinatorBench.with(configuration: configuration(requests)) { bench in
            bench.startWorker()
            let client = bench.makeClient(identity: 1)
            let recorder = TestClient.Recorder()
            let channel = client.open(recorder, instance: "closed")
            try await client.connect()
            try await recorder.record.until { $0.rejection != nil }
            #expect(recorder.record.value.refusal == .refused)
            #expect(recorder.record.value.rejection?.reason == "Only the editor may open this.")
            #expect(await channel.send(.add(1)).finish() == .rejected(.closed))
            #expect(bench.registry.existingHost(FeatureRegistry.Key(feature: "journal", instance: "closed")) == nil)
        }
    }

    @Test("A client with the identity of the coordinator's own program opens nothing")
    func nameOfProgram() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let host = try await bench.host("open")
            let own = await host.viewModel.sendViewEvent(.add(1))
            let id = try #require(own.id)
            let client = TestClient(identity: id.sender, clients: bench.clients, reactor: bench.reactor)
            let recorder = TestClient.Recorder()
            let channel = client.open(recorder, instance: "open")
            try await client.connect()
            try await recorder.record.until { $0.rejection != nil }
            #expect(recorder.record.value.refusal == .refused)
            #expect(await channel.send(.add(1)).finish() == .rejected(.closed))
            #expect(await host.channelCount == 0)
        }
    }

    @Test("A client that comes back is asked for again, and its earlier permission does not count")
    func comesBack() async throws {
        let requests = Watched<[AccessRequest]>([])
        try await CoordinatorBench.with(configuration: configuration(requests)) { bench in
            bench.startWorker()
            let client = bench.makeClient(identity: 1)
            let recorder = TestClient.Recorder()
            let channel = client.open(recorder, instance: "once")
            try await client.connect()
            #expect(await channel.send(.add(1)).finish() == .finished)
            try await client.disconnect()
            try await client.connect()
            try await recorder.record.until { $0.rejection != nil }
            #expect(recorder.record.value.refusal == .refused)
            #expect(requests.value.count == 2)
            let host = try await bench.host("once")
            try await poll { await host.channelCount == 0 }
        }
    }
}
