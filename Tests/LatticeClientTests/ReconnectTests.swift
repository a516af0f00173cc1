import LatticeCore
import LatticeSession
import LatticeTestSupport
import LatticeWire
import Testing

@testable import LatticeClient

@Suite(.timeLimit(.minutes(3)))
struct ReconnectTests {
    private func withViewModel(
        limit: Duration = .seconds(3600),
        _ body: @MainActor (TestServer, ViewModel<JournalFeature>) async throws -> Void
    ) async throws {
        try await TestServer.with { server in
            var configuration = ClientConfiguration()
            configuration.reconnect.limit = limit
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

    @Test("A coordinator that takes every connection and drops it is given up, and what was sent ends unknown")
    func whoDropsEveryConnectionIsGivenUp() async throws {
        try await withViewModel(limit: .seconds(1)) { server, viewModel in
            let task = viewModel.sendViewEvent(.add(1))
            try await server.events.until { $0 == [1] }
            server.dropsAll.change { $0 = true }
            server.dropConnection()
            #expect(await task.finish() == .unknown(UnknownOutcome(reason: "")))
            let reason = try await untilFailed(viewModel)
            let start = "the coordinator at \"\(server.path)\" takes connections, and none lasted within 1.0 seconds: "
            #expect(reason.hasPrefix(start))
            // 50, 100, 200 and 400 ms lie between them, then what is left of the limit.
            #expect(server.connections.value <= 7)
        }
    }

    @Test("Where the coordinator is given up, what waits for it to find an actor ends with that reason")
    func callsHearWhy() async throws {
        try await TestServer.with { server in
            var configuration = ClientConfiguration()
            configuration.reconnect.limit = .milliseconds(200)
            try await withClient(connectingTo: server.path, configuration: configuration) { client in
                server.dropsAll.change { $0 = true }
                server.dropConnection()
                guard case .failure(let failure) = await client.node.find("desk", within: .seconds(1000)) else {
                    Issue.record("there is such an actor")
                    return
                }
                #expect(failure.reply.code == .noNode)
                #expect(failure.reply.reason?.hasPrefix("the coordinator at \"\(server.path)\"") == true)
            }
        }
    }

    @Test("F81: a client whose place a newer session took says so and does not fight for it")
    func aReplacedClientDoesNotComeBack() async throws {
        try await withViewModel { server, viewModel in
            let task = viewModel.sendViewEvent(.add(1))
            try await server.events.until { $0 == [1] }
            server.replace()
            #expect(await task.finish() == .unknown(UnknownOutcome(reason: "")))
            let reason = try await untilFailed(viewModel)
            #expect(
                reason.hasSuffix(
                    "does not take this client any more: a newer session has the same identity and takes the place of this"
                        + " one; give each client an identity of its own"
                )
            )
            #expect(server.connections.value == 1)
        }
    }

    @Test func aLastingRefusalEndsTheTriesAtOnce() async throws {
        try await withViewModel { server, viewModel in
            server.refusesRoles.change { $0 = true }
            server.dropConnection()
            let reason = try await untilFailed(viewModel)
            #expect(
                reason.hasSuffix(
                    "the other side refused this session: a client may not connect here; connect it to what serves a"
                        + " client"
                )
            )
            #expect(server.connections.value == 1)
        }
    }
}
