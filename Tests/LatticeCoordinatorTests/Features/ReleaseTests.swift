import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import Logging
import Testing

@testable import LatticeCoordinator

@Suite(.timeLimit(.minutes(3)))
struct ReleaseTests {
    @Test("A coordinator that has ended leaves nothing of its features behind, though clients had opened them")
    func nothingIsLeft() async throws {
        let (released, release) = AsyncStream<Never>.makeStream()
        try await share(holding: Token(release))
        // Ends only if no host, which has the logger, is left.
        for await _ in released {}
    }

    private func share(holding token: Token) async throws {
        var configuration = CoordinatorConfiguration()
        configuration.logger.logLevel = .critical
        configuration.logger[metadataKey: "token"] = .stringConvertible(token)
        try await CoordinatorBench.with(configuration: configuration) { bench in
            bench.startWorker()
            let client = bench.makeClient(identity: 1)
            let channel = client.open(TestClient.Recorder())
            try await client.connect()
            #expect(await channel.send(.add(1)).finish() == .finished)
            // The client may come back: what it had open is kept for it.
            try await client.disconnect()
            try await bench.killWorker()
        }
    }
}

/// Ends a stream when nobody refers to it any more.
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
