import LatticeCoding
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeWire
import Testing

@testable import LatticeCoordinator

/// Tests that an event has the same name in every process.
@Suite(.timeLimit(.minutes(10)))
struct EventIdentityTests {
    @Test func eachClientsEventsAreItsOwn() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let (one, other) = (bench.makeClient(identity: 1), bench.makeClient(identity: 2))
            let channels = [
                one.open(TestClient.Recorder()), one.open(TestClient.Recorder()), other.open(TestClient.Recorder()),
            ]
            try await one.connect()
            try await other.connect()
            let host = try await bench.host()
            try await host.whenOpened()
            let gate = Gates.makeName()
            Gates.open(gate)
            var tasks = channels.map { $0.send(.wait(1, gate: gate)) }
            tasks.append(await host.viewModel.sendViewEvent(.wait(2, gate: gate)))
            for task in tasks { #expect(await task.finish() == .finished) }
            let names = tasks.map { $0.id?.description }
            #expect(Set(Gates.events(gate).map { $0?.description }) == Set(names))
            #expect(
                names == [
                    "journal/\(one.name)/1/1", "journal/\(one.name)/3/1", "journal/\(other.name)/1/1",
                    // Number 4 on the channel to the worker, or one before it.
                    names[3],
                ]
            )
            #expect(names[3]?.hasPrefix("journal/\(bench.supervisor.sender)/2/") == true)
        }
    }

    @Test func anEventThatWaitedForAWorkerIsStillItsSenders() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let client = bench.makeClient(identity: 1)
            let recorder = TestClient.Recorder()
            let channel = client.open(recorder)
            try await client.connect()
            try await recorder.record.until { $0.opened == 1 }
            try await bench.killWorker()
            let gate = Gates.makeName()
            Gates.open(gate)
            let task = channel.send(.wait(1, gate: gate))
            bench.startWorker()
            #expect(await task.finish() == .finished)
            #expect(Gates.events(gate).map { $0?.description } == ["journal/\(client.name)/1/1"])
        }
    }

    @Test("A client that names another sender is disconnected, and its event is not applied")
    func forgedNames() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let relay = bench.makeClient(identity: 1)
            let recorder = TestClient.Recorder()
            let channel = relay.open(recorder)
            try await relay.connect()
            try await recorder.record.until { $0.opened == 1 }
            let gate = Gates.makeName()
            Gates.open(gate)
            let origin = EventOrigin(sender: .random(), channel: 7, feature: "journal", instance: "")
            let name = EventID(origin: origin, number: 99)
            let action = try CBOREncoder().encode(JournalFeature.Action.wait(1, gate: gate))
            let completion = channel.send(encoded: action, as: name)
            let error = try await relay.closed.until { $0.count == 1 }.first ?? nil
            #expect(error?.code == .goodbye)
            #expect(error?.detail.contains("determines the senders of events itself") == true)
            relay.channels.detach()
            completion.cancel()
            #expect(Gates.arrivals(gate) == 0)
        }
    }

    @Test func twoCoordinatorsAreTwoSenders() async throws {
        let gate = Gates.makeName()
        Gates.open(gate)
        for _ in 0..<2 {
            try await CoordinatorBench.with { bench in
                bench.startWorker()
                let host = try await bench.host()
                try await host.whenOpened()
                #expect(await host.viewModel.sendViewEvent(.wait(1, gate: gate)).finish() == .finished)
            }
        }
        let events = Gates.events(gate).compactMap(\.self)
        #expect(events.map(\.number) == [1, 1])
        #expect(Set(events.map(\.sender)).count == 2)
    }

    @Test(arguments: [0, 3, 15]) func aClientWithoutANameOfItsOwnGetsOneForItsConnection(length: Int) async throws {
        let identity = [UInt8](repeating: 9, count: length)
        try await withReactor { reactor in
            let clients = (0..<2).map { _ in ClientSession(identity: identity, eventLoop: reactor) }
            #expect(Set(clients.map(\.sender)).count == 2)
        }
    }
}
