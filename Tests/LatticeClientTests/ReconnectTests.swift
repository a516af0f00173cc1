import LatticeCalls
import LatticeClient
import LatticeCore
import LatticeSession
import LatticeTestSupport
import LatticeWire
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ReconnectTests {
    private func withViewModel(
        limit: Duration = .seconds(3600),
        _ body: @MainActor (TestServer, ViewModel<JournalFeature>) async throws -> Void
    ) async throws {
        try await TestServer.with { server in
            var configuration = ClientConfiguration()
            configuration.reconnect.timeout = limit
            try await withClient(connectingTo: server.path, configuration: configuration) { client in
                try await body(server, try await client.viewModel(JournalFeature.self))
            }
        }
    }

    @MainActor private func untilFailed(_ viewModel: ViewModel<JournalFeature>) async throws -> String {
        while true {
            if case .failed(let failure) = viewModel.hostStatus { return failure.reason }
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test("A coordinator that drops every connection is given up, and sent events end unknown")
    func whoDropsEveryConnectionIsGivenUp() async throws {
        try await withViewModel(limit: .seconds(1)) { server, viewModel in
            let task = viewModel.sendViewEvent(.add(1))
            try await server.events.until { $0 == [1] }
            server.dropsAll.change { $0 = true }
            server.dropConnection()
            #expect(await task.finish() == .unknown(UnknownOutcome(reason: "")))
            let reason = try await untilFailed(viewModel)
            let start =
                "the coordinator at \"\(server.path)\" accepts connections, but none was stable within 1.0 seconds: "
            #expect(reason.hasPrefix(start))
            // 50, 100, 200 and 400 ms lie between them, then what is left of the limit.
            #expect(server.connections.value <= 7)
        }
    }

    @Test("When the coordinator is given up, waits for an actor end with that reason")
    func callsHearWhy() async throws {
        try await TestServer.with { server in
            var configuration = ClientConfiguration()
            configuration.reconnect.timeout = .milliseconds(200)
            try await withClient(connectingTo: server.path, configuration: configuration) { client in
                server.dropsAll.change { $0 = true }
                server.dropConnection()
                guard case .failure(let failure) = await client.node.find("desk", within: .seconds(1000)) else {
                    Issue.record("there is such an actor")
                    return
                }
                #expect(failure.code == .noNode)
                #expect(failure.reason?.hasPrefix("the coordinator at \"\(server.path)\"") == true)
            }
        }
    }

    @Test("A client whose place a newer session took reports that and does not reconnect (F81)")
    func aReplacedClientDoesNotComeBack() async throws {
        try await withViewModel { server, viewModel in
            let task = viewModel.sendViewEvent(.add(1))
            try await server.events.until { $0 == [1] }
            server.replace()
            #expect(await task.finish() == .unknown(UnknownOutcome(reason: "")))
            let reason = try await untilFailed(viewModel)
            #expect(reason.hasSuffix(SessionError.replaced.message))
            #expect(server.connections.value == 1)
        }
    }

    @Test func aLastingRefusalEndsTheTriesAtOnce() async throws {
        try await withViewModel { server, viewModel in
            server.refusesRoles.change { $0 = true }
            server.dropConnection()
            let reason = try await untilFailed(viewModel)
            #expect(reason.contains("a client may not connect here"))
            #expect(server.connections.value == 1)
        }
    }
}
