import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import Logging
import Testing

@testable import LatticeCoordinator

@Suite(.timeLimit(.minutes(10)))
struct ReleaseTests {
    @Test("A coordinator that has ended releases all of its features, although clients had opened them")
    func nothingIsLeft() async throws {
        let (released, release) = AsyncStream<Never>.makeStream()
        let channel = try await share(holding: Token(release))
        // Ends only if no host, which has the logger, is left.
        for await _ in released {}
        // It has what clients are shown, and that the reactor with two descriptors.
        #expect(channel.object == nil)
    }

    private struct Weak<Object: AnyObject> {
        weak var object: Object?
    }

    private func share(holding token: Token) async throws -> Weak<ChannelServer> {
        var configuration = CoordinatorConfiguration.patient
        configuration.logger.logLevel = .critical
        configuration.logger[metadataKey: "token"] = .stringConvertible(token)
        var left = Weak<ChannelServer>()
        try await CoordinatorBench.with(configuration: configuration) { bench in
            bench.startWorker()
            let client = bench.makeClient(identity: 1)
            let channel = client.open(TestClient.Recorder())
            try await client.connect()
            #expect(await channel.send(.add(1)).finish() == .finished)
            left.object = try #require(bench.clients.known.first?.channels.first?.server)
            // The client may come back: what it had open is kept for it.
            try await client.disconnect()
            try await bench.killWorker()
        }
        return left
    }
}

/// Ends a stream when it is released.
private final class Token: CustomStringConvertible, Sendable {
    let description = "token"
    private let release: AsyncStream<Never>.Continuation

    init(_ release: AsyncStream<Never>.Continuation) {
        self.release = release
    }

    deinit {
        release.finish()
    }
}
