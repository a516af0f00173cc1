import LatticeCore
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@testable import LatticeClient

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@Suite(.timeLimit(.minutes(10)))
struct ClientTests {
    @Test func aPathThatIsTooLongIsNamed() async {
        let path = "/" + String(repeating: "x", count: 200)
        let error = await #expect(throws: ClientError.self) { try await withClient(connectingTo: path) { _ in } }
        #expect(error?.code == .connecting)
        #expect(error?.message.contains(path) == true)
        #expect(error?.cause is TransportError)
    }

    @Test func aPathWithoutACoordinatorIsNamed() async {
        let error = await #expect(throws: ClientError.self) {
            try await withClient(connectingTo: "/tmp/lattice-nobody/s") { _ in }
        }
        #expect(error?.code == .connecting)
        #expect(error?.message.contains("\"/tmp/lattice-nobody/s\"") == true)
    }

    @Test("A coordinator that accepts the connection but does not answer is named after connectTimeout (F77)")
    func aSilentCoordinatorIsNamed() async throws {
        try await SilentListener.with { path in
            var configuration = ClientConfiguration()
            configuration.connectTimeout = .milliseconds(100)
            let error = await #expect(throws: ClientError.self) {
                try await withClient(connectingTo: path, configuration: configuration) { _ in }
            }
            #expect(error == .silent(path, process: getpid(), .milliseconds(100)))
        }
    }

    @Test("Connecting to a coordinator that does not answer ends when its task is cancelled (F77)")
    func connectingCanBeCancelled() async throws {
        try await SilentListener.with { path in
            var configuration = ClientConfiguration()
            configuration.connectTimeout = .seconds(3600)
            let connecting = Task { [configuration] in
                try await withClient(connectingTo: path, configuration: configuration) { _ in }
            }
            connecting.cancel()
            await #expect(throws: CancellationError.self) { try await connecting.value }
        }
    }

    @Test("A coordinator without room for a connection is retried until connectTimeout (F77)")
    func aFullQueueIsWaitedFor() async throws {
        try await SilentListener.with { path in
            var configuration = ClientConfiguration()
            configuration.connectTimeout = .milliseconds(100)
            try await SilentListener.fill(path) {
                let error = await #expect(throws: ClientError.self) {
                    try await withClient(connectingTo: path, configuration: configuration) { _ in }
                }
                #expect(error?.code == .connecting)
                #expect((error?.cause as? TransportError)?.code == .busy)
            }
        }
    }

    @Test("A coordinator without room for a connection is retried less often each time (F77)")
    func aFullQueueIsAskedLessOften() async throws {
        try await SilentListener.with { path in
            var configuration = ClientConfiguration()
            configuration.reconnect.jitter = 0
            let clock = ImpatientClock()
            try await SilentListener.fill(path) {
                let client = try Client(connectingTo: path, configuration: configuration, clock: clock)
                defer { client.close() }
                await #expect(throws: ClientError.self) { try await client.connect() }
            }
            let waits = [50, 100, 200, 400, 800, 1600, 1850].map { Duration.milliseconds($0) }
            #expect(Array(clock.waits.prefix(10)) == waits)
        }
    }

    @Test("Opening a feature that the coordinator does not open takes no longer than openTimeout (F77)")
    func openingIsBounded() async throws {
        try await TestServer.with { server in
            var configuration = ClientConfiguration()
            configuration.openTimeout = .milliseconds(100)
            try await withClient(connectingTo: server.path, configuration: configuration) { client in
                let error = await #expect(throws: ClientError.self) {
                    _ = try await client.viewModel(JournalFeature.self, instance: TestServer.unanswered)
                }
                #expect(error == .notOpened("journal", server.path, .milliseconds(100), .connecting))
                let opening = Task {
                    try await client.viewModel(JournalFeature.self, instance: TestServer.unanswered)
                }
                opening.cancel()
                await #expect(throws: (any Error).self) { try await opening.value }
            }
        }
    }

    @Test func anotherVersionIsRefused() async throws {
        try await TestServer.with(acceptance: Handshakes.acceptance(versions: 2...2, roles: [.client], token: nil)) {
            server in
            let error = await #expect(throws: ClientError.self) {
                try await withClient(connectingTo: server.path) { _ in }
            }
            #expect(error?.code == .refused)
            #expect((error?.cause as? SessionError)?.refusal == .version)
            #expect(error?.message.contains("protocol version 2") == true)
        }
    }

    @Test func aFeatureThatIsNotServedIsNamed() async throws {
        try await TestServer.with { server in
            try await withClient(connectingTo: server.path) { client in
                let error = await #expect(throws: ClientError.self) {
                    _ = try await client.viewModel(OtherFeature.self)
                }
                #expect(error == .notServed("other", "not here"))
            }
        }
    }

    @Test("A client connects again after a lost connection, and sends its waiting events again (F57, F59)")
    func aLostConnectionIsHadBackAndWhatWaitedIsSentAgain() async throws {
        try await TestServer.with { server in
            try await withClient(connectingTo: server.path) { client in
                let viewModel = try await client.viewModel(JournalFeature.self)
                #expect(await viewModel.viewState.sum == 0)
                let task = await viewModel.sendViewEvent(.add(1))
                // The connection just breaks, without a goodbye, before the event is answered.
                try await server.events.until { $0 == [1] }
                server.dropConnection()
                try await server.connections.until { $0 == 2 }
                try await server.events.until { $0 == [1, 1] }
                server.complete(1)
                #expect(await task.finish() == .finished)
            }
        }
    }

    @Test("Bytes that wait to be written are not lost at the end (F44)")
    func whatStillWaitsToBeWrittenIsNotLostAtTheEnd() async throws {
        try await TestServer.with { server in
            var configuration = ClientConfiguration()
            configuration.closeTimeout = .seconds(50)
            // However long the server is held on a busy machine.
            configuration.heartbeatTimeout = .seconds(150)
            let (isOpen, isHeld, isDone) = (Watched(false), Watched(false), Watched(false))
            async let ended: Void = withClient(connectingTo: server.path, configuration: configuration) { client in
                let viewModel = try await client.viewModel(JournalFeature.self)
                isOpen.change { $0 = true }
                try await isHeld.until { $0 }
                let large = String(repeating: "x", count: 1 << 20)
                for number in 1...20 { await viewModel.sendViewEvent(.wait(number, gate: large)) }
                isDone.change { $0 = true }
            }
            try await isOpen.until { $0 }
            try await withHeld(#require(server.eventLoop)) {
                isHeld.change { $0 = true }
                try await isDone.until { $0 }
            }
            try await ended
            try await server.events.until { $0 == Array(1...20) }
        }
    }

    @Test func anInstanceKeyThatIsTooLongIsNamed() async throws {
        try await TestServer.with { server in
            try await withClient(connectingTo: server.path) { client in
                let instance = String(repeating: "x", count: 256)
                let error = await #expect(throws: ClientError.self) {
                    _ = try await client.viewModel(JournalFeature.self, instance: instance)
                }
                #expect(error == .instance(256, 255))
            }
        }
    }

    @Test("A channel is closed with its view model (F54)") func aChannelIsClosedWithItsViewModel() async throws {
        try await TestServer.with { server in
            try await withClient(connectingTo: server.path) { client in
                let task = try await sendAndForget(client)
                try await server.closes.until { $0 == 1 }
                #expect(await task.finish() == .cancelled)
            }
        }
    }

    private func sendAndForget(_ client: Client) async throws -> EventTask {
        let viewModel = try await client.viewModel(JournalFeature.self)
        return await viewModel.sendViewEvent(.add(1))
    }

    @Test func anOrderlyEndOfTheCoordinatorDiffersFromALoss() async throws {
        try await TestServer.with { server in
            var configuration = ClientConfiguration()
            configuration.reconnect = .never
            try await withClient(connectingTo: server.path, configuration: configuration) { client in
                let viewModel = try await client.viewModel(JournalFeature.self)
                let task = await viewModel.sendViewEvent(.add(1))
                try await server.events.until { $0 == [1] }
                server.stop()
                _ = await task.finish()
                let reason = "the coordinator at \"\(server.path)\" has shut down: the coordinator stopped"
                let rejected = await viewModel.sendViewEvent(.add(2)).finish()
                guard case .rejected(let rejection) = rejected else {
                    Issue.record("\(rejected)")
                    return
                }
                #expect(rejection.reason == reason)
                #expect(await viewModel.hostStatus == .failed(HostFailure(reason: reason)))
            }
        }
    }

    @Test func aRefusalThatStaysTheSameEndsTheTries() async throws {
        for (code, isLasting) in [(RefusalCode.busy, false), (.timeout, false), (.version, true), (.credentials, true)]
        {
            let refusal = Refuse(code: code, reason: "no")
            #expect(SessionError.refused(by: "other side", refusal).isLasting == isLasting)
        }
        #expect(!SessionError.endedEarly.isLasting)
    }

    @Test func aCoordinatorThatStaysAwayIsGivenUp() async throws {
        try await TestServer.with { server in
            var configuration = ClientConfiguration()
            configuration.reconnect = .never
            try await withClient(connectingTo: server.path, configuration: configuration) { client in
                let viewModel = try await client.viewModel(JournalFeature.self)
                let task = await viewModel.sendViewEvent(.add(1))
                try await server.events.until { $0 == [1] }
                server.dropConnection()
                guard case .unknown(let unknown) = await task.finish() else {
                    Issue.record("known")
                    return
                }
                #expect(
                    unknown.reason
                        == "The event was sent, and may have been applied or may still run: the coordinator at"
                        + " \"\(server.path)\" is gone"
                )
                #expect(await viewModel.sendViewEvent(.add(2)).finish() == .rejected(.closed))
                // A channel that is opened now ends at once, too.
                let error = await #expect(throws: ClientError.self) {
                    _ = try await client.viewModel(JournalFeature.self)
                }
                #expect(error?.message.hasSuffix("\"journal\": the coordinator at \"\(server.path)\" is gone") == true)
            }
        }
    }
}
