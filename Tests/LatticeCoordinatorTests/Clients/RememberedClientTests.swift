import LatticeCoding
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@testable import LatticeCoordinator

@Suite(.timeLimit(.minutes(10)))
struct RememberedClientTests {
    @Test("A remembered client gets all outcomes from another worker, and continues")
    func eventsEndBesideAnotherWorker() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let client = bench.makeClient(identity: 1)
            let recorder = TestClient.Recorder()
            let channel = client.open(recorder)
            try await client.connect()
            #expect(await channel.send(.add(1)).finish() == .finished)
            let running = channel.send(.wait(1, gate: Gates.makeName()))
            try await recorder.record.until { $0.acknowledged == 2 }
            // From here on, no event reaches a worker.
            bench.supervisor.channels.detach()
            let unacknowledged = channel.send(.add(5))
            let session = try #require(bench.clients.known.first)
            let number = channel.channel.number
            try await poll { await session.snapshot(on: bench.reactor).channels[number]?.running == [2, 3] }
            try await client.disconnect()
            let before = await session.snapshot(on: bench.reactor)
            let bytes = try CBOREncoder().encode(before)
            let snapshot = try CBORDecoder().decode(ClientSession.Snapshot.self, from: bytes)
            #expect(snapshot == before)

            try await CoordinatorBench.with { next in
                next.startWorker()
                let host = try await next.host()
                try await host.whenOpened()
                let restored = ClientSession(snapshot, absentSince: .now, eventLoop: next.reactor)
                let (near, far) = MemoryConnection.pair(eventLoop: bench.reactor, other: next.reactor)
                let acceptance = Handshakes.acceptance(roles: [.client], token: nil, storeID: bench.supervisor.sender)
                let coordinator = Session(over: far, as: .acceptor(acceptance), handler: Door(restored, host))
                let hello = Handshakes.hello(role: .client, incarnation: 0, token: [], identity: snapshot.identity)
                let connected = Session(over: near, as: .initiator(hello), handler: client.channels)
                coordinator.start()
                connected.start()
                #expect(await running.finish() == .interrupted(Interruption(cause: .disconnected, incarnation: 0)))
                guard case .unknown(let unknown) = await unacknowledged.finish() else {
                    Issue.record("known")
                    return
                }
                #expect(
                    unknown.reason
                        == "The coordinator ended before it acknowledged the event. Look at the state before you send it"
                        + " again."
                )
                #expect(await channel.send(.add(7)).finish() == .finished)
                #expect(recorder.record.value.states.last == JournalFeature.ViewState(sum: 7, count: 1, last: 7))
                connected.connection.close()
            }
        }
    }
}

/// Lets one client in.
private final class Door: SessionHandler {
    private let client: ClientSession
    private let host: FeatureHost<JournalFeature>

    init(_ client: ClientSession, _ host: FeatureHost<JournalFeature>) {
        self.client = client
        self.host = host
    }

    func sessionOpened(_ session: Session, peer: Handshake.Peer) {
        _ = client.connected(session, by: 1, SenderFacts(session.connection.peer))
    }

    func session(_ session: Session, opens number: UInt32, _ open: Open) {
        let key = FeatureRegistry.Key(feature: open.feature, instance: open.instance)
        guard let (channel, _) = try? client.channel(number, of: key, continuing: open.record) else { return }
        channel.link(to: session, by: open)
        Task { [host, client] in
            #expect(await host.attach(channel, of: .sample(client.sender), on: session) == .attached)
            client.opened()
        }
    }

    func session(_ session: Session, received kind: MessageKind, body: UnsafeRawBufferPointer) {}

    func sessionClosed(_ session: Session, error: SessionError?) {}
}
