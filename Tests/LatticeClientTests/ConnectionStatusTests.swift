import LatticeCalls
import LatticeTestSupport
import Logging
import Observation
import Testing

@testable import LatticeClient

@Suite(.timeLimit(.minutes(10)))
struct ConnectionStatusTests {
    /// Waits for a status, as an observer on the main actor does.
    @MainActor private func status(
        of client: Client,
        where isWanted: @Sendable (Client.ConnectionStatus) -> Bool
    ) async -> Client.ConnectionStatus? {
        for await status in Observations({ client.connectionStatus }) where isWanted(status) { return status }
        return nil
    }

    @Test("A client shows that it is connected, and to which process")
    func connected() async throws {
        try await TestServer.with { server in
            let client = try Client(connectingTo: server.path, configuration: ClientConfiguration())
            #expect(await client.connectionStatus == .connecting)
            try await client.connect()
            let connected = await status(of: client) { $0 != .connecting }
            #expect(connected == .connected(coordinator: 8))
            #expect(connected.map { "\($0)" } == "connected to the coordinator with process ID 8")
            client.close()
            let closed = await status(of: client) { $0 != .connected(coordinator: 8) }
            #expect(closed == .closed(nil))
        }
    }

    @Test("A client whose connection is lost shows since when and why, and the next connection")
    func reconnecting() async throws {
        try await TestServer.with { server in
            let clock = GatedClock()
            let client = try Client(connectingTo: server.path, configuration: ClientConfiguration(), clock: clock)
            defer { client.close() }
            try await client.connect()
            let running = Task { await client.run() }
            let start = ContinuousClock.now
            server.dropConnection()
            let lost = await status(of: client) { if case .reconnecting = $0 { true } else { false } }
            if case .reconnecting(let attempt) = lost {
                #expect(attempt.since >= start && attempt.failedAttempts == 0 && !attempt.reason.isEmpty)
            } else {
                Issue.record("it is \(String(describing: lost))")
            }
            clock.isOpen.change { $0 = true }
            let again = await status(of: client) { if case .reconnecting = $0 { false } else { true } }
            #expect(again == .connected(coordinator: 8))
            await client.stop()
            await running.value
        }
    }

    @Test("A client that gives up shows the reason, and logs it with the loss of the connection")
    func givenUp() async throws {
        let log = BlockableLog()
        try await TestServer.with { server in
            var configuration = ClientConfiguration()
            configuration.reconnect = .never
            configuration.logger = Logger(label: "test") { _ in log.handler }
            try await withClient(connectingTo: server.path, configuration: configuration) { client in
                server.dropConnection()
                let closed = await status(of: client) { if case .closed = $0 { true } else { false } }
                guard case .closed(let error?) = closed else {
                    Issue.record("it is \(String(describing: closed))")
                    return
                }
                #expect(error.code == .connecting)
                #expect(error.message.hasPrefix("The coordinator at \"\(server.path)\" is gone"))
                try await log.lines.until { lines in lines.contains { $0.hasSuffix("\(error)") } }
            }
            let coordinator = "the coordinator at \"\(server.path)\""
            let lines = log.lines.value
            #expect(lines.first == "The client is connected to \(coordinator), process 8.")
            #expect(lines.dropFirst().first?.hasPrefix("The connection to \(coordinator) was lost: ") == true)
            #expect(lines.last?.hasPrefix("The client has given up. ") == true)
        }
    }

    @Test(
        "A refusal, connections that do not last, and a coordinator that does not answer have codes of their own",
        arguments: [ClientError.Code.refused, .unstable, .silent]
    )
    func codes(_ code: ClientError.Code) async throws {
        try await TestServer.with { server in
            var configuration = ClientConfiguration()
            configuration.reconnect.timeout = .milliseconds(code == .refused ? 3_600_000 : 200)
            if code == .silent { configuration.connectTimeout = .milliseconds(50) }
            try await withClient(connectingTo: server.path, configuration: configuration) { client in
                server.refusesRoles.change { $0 = code == .refused }
                server.dropsAll.change { $0 = code == .unstable }
                server.isSilent.change { $0 = code == .silent }
                server.dropConnection()
                let closed = await status(of: client) { if case .closed = $0 { true } else { false } }
                guard case .closed(let error?) = closed else {
                    Issue.record("it is \(String(describing: closed))")
                    return
                }
                #expect(error.code == code, "\(error)")
            }
        }
    }

    @Test("A client logs the messages that it drops")
    func notes() throws {
        let log = BlockableLog()
        var configuration = ClientConfiguration()
        configuration.logger = Logger(label: "test") { _ in log.handler }
        let client = try Client(connectingTo: "/tmp/lattice-nobody/s", configuration: configuration)
        defer { client.close() }
        client.node.note("an answer was dropped")
        #expect(log.lines.value == ["an answer was dropped"])
    }
}

/// A clock whose sleeps end when the test opens it.
private final class GatedClock: Clock {
    let now = ContinuousClock.now
    let minimumResolution = Duration.zero
    let isOpen = Watched(false)

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        try await isOpen.until { $0 }
    }
}
