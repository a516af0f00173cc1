import LatticeSession
import LatticeTestSupport
import LatticeTransport
import Testing

@testable import LatticeWorker

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@Suite(.timeLimit(.minutes(3)))
struct WorkerFeaturesTests {
    @Test("A worker with more features than a handshake can say ends with a sentence")
    func theFeaturesFitIntoAHandshake() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[1]) }
        let worker = Worker(
            launch: LaunchVariable(incarnation: 1, token: [1]),
            group: "",
            socket: OwnedDescriptor(ends[0]),
            features: ManyFeatures.list(61, from: ManyFeatures.Long.self)
        )
        let error = await #expect(throws: ConfigurationError.self) { try await worker.run() }
        #expect(
            error?.description
                == "the 61 hosted features take 16045 bytes of a handshake, and there is room for 16000; host fewer, or"
                + " give them shorter identifiers"
        )
    }
}
