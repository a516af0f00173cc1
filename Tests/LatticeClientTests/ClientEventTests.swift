import LatticeClient
import LatticeCore
import LatticeTestSupport
import Testing

/// Tests the runtime events of a client.
@Suite(.timeLimit(.minutes(10)))
struct ClientEventTests {
    @Test("A client reports its connection, its loss, and the next one")
    func reconnected() async throws {
        let list = EventList()
        try await TestServer.with { server in
            var configuration = ClientConfiguration()
            configuration.observers = [list.observer(of: .connections)]
            try await withClient(connectingTo: server.path, configuration: configuration) { _ in
                server.dropConnection()
                try await list.until(.connectionRestored)
            }
            #expect(
                list.kinds == [
                    .sessionOpened, .sessionEnded, .connectionLost, .sessionOpened, .connectionRestored, .sessionEnded,
                ]
            )
            let coordinator = RuntimeEvent.Peer.coordinator(processID: 8, path: server.path)
            #expect(list.events.value.first == .sessionOpened(coordinator))
            #expect(list.events.value.last == .sessionEnded(coordinator, problem: nil))
        }
    }

    @Test("A client that gives up reports each failed attempt and its reason")
    func givenUp() async throws {
        let list = EventList()
        try await TestServer.with { server in
            var configuration = ClientConfiguration()
            configuration.observers = [list.observer(of: .connections)]
            configuration.reconnect.timeout = .milliseconds(3_600_000)
            try await withClient(connectingTo: server.path, configuration: configuration) { _ in
                server.refusesRoles.change { $0 = true }
                server.dropConnection()
                try await list.until(.connectionGivenUp)
            }
            #expect(
                list.kinds == [
                    .sessionOpened, .sessionEnded, .connectionLost, .connectionAttemptFailed, .connectionGivenUp,
                ]
            )
        }
    }

    @Test("An event of a client is sent and ended, and states are accepted")
    func events() async throws {
        let list = EventList()
        try await TestServer.with { server in
            var configuration = ClientConfiguration()
            configuration.observers = [list.observer(of: .events.union(.states))]
            try await withClient(connectingTo: server.path, configuration: configuration) { client in
                let viewModel = try await client.viewModel(JournalFeature.self)
                let task = await viewModel.sendViewEvent(.add(1))
                try await server.events.until { $0 == [1] }
                server.complete(1)
                #expect(await task.finish() == .finished)
                let id = try #require(task.id)
                try await list.until(.eventEnded)
                #expect(list.lines == ["stateAccepted 1", "eventSent 1", "eventEnded 1, finished"])
                #expect(list.events.value[1] == .eventSent(id))
                let end = try #require(list.events.value.last?.end)
                #expect(end.event == id && end.outcome == .finished && end.duration > .zero)
            }
        }
    }
}
