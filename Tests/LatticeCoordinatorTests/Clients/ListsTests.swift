import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import Testing

@testable import LatticeCoordinator

@Suite(.timeLimit(.minutes(10)))
struct ListsTests {
    @Test("The instances are listed by feature and key, with their status and the clients that have them open")
    func instances() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let own = try await bench.host("b")
            try await own.whenOpened()
            let client = bench.makeClient(identity: 1)
            let (recorder, other) = (TestClient.Recorder(), TestClient.Recorder())
            // Two channels of one client count once.
            let channels = [client.open(recorder, instance: "a"), client.open(other, instance: "a")]
            try await client.connect()
            try await recorder.record.until { $0.opened == 1 }
            try await other.record.until { $0.opened == 1 }
            let serving = HostStatus.serving(.init(incarnation: 1, processID: 0))
            let host = try await bench.host("a")
            try await poll { host.hostStatus == serving }
            try await poll { own.hostStatus == serving }
            let instances = bench.registry.list(with: bench.clients.connected)
            #expect(instances.map(\.feature) == ["journal", "journal"])
            #expect(instances.map(\.instance) == ["a", "b"])
            #expect(instances.map(\.clients) == [1, 0])
            #expect(instances.map(\.isServing) == [true, true])
            #expect(instances.map(\.hostStatus) == [serving, serving])
            withExtendedLifetime(channels) {}
        }
    }

    @Test("The connected clients are listed with the features that they have open, and no others")
    func clients() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let (one, other) = (bench.makeClient(identity: 1), bench.makeClient(identity: 2))
            let recorder = TestClient.Recorder()
            let channel = one.open(recorder)
            let start = ContinuousClock.now
            try await one.connect()
            try await other.connect()
            try await recorder.record.until { $0.opened == 1 }
            let clients = bench.clients.connected.compactMap { ConnectedClient($0) }
            #expect(Set(clients.map(\.features)) == [["journal"], []])
            #expect(clients.allSatisfy { $0.since >= start && $0.since <= .now })
            try await one.disconnect()
            try await poll { bench.clients.connected.count == 1 }
            #expect(bench.clients.connected.map(\.openKeys) == [[]])
            withExtendedLifetime(channel) {}
        }
    }

    @Test("A channel that a client does not open again after it came back is not listed")
    func channelsThatAreNotOpenedAgain() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let client = bench.makeClient(identity: 1)
            let recorder = TestClient.Recorder()
            let channel = client.open(recorder)
            try await client.connect()
            try await recorder.record.until { $0.opened == 1 }
            try await client.disconnect()
            try await bench.makeClient(identity: 1).connect()
            try await poll { bench.clients.connected.count == 1 }
            #expect(bench.clients.connected.map(\.openKeys) == [[]])
            #expect(bench.registry.list(with: bench.clients.connected).map(\.clients) == [0])
            withExtendedLifetime(channel) {}
        }
    }
}
