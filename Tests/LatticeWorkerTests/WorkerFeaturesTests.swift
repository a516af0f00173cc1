import LatticeCalls
import LatticeCore
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import Logging
import Testing

@testable import LatticeWorker

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@Suite(.timeLimit(.minutes(10)))
struct WorkerFeaturesTests {
    @Test("A worker whose features do not fit into a handshake ends with an error")
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
        #expect(error?.message.contains("61 hosted features need 16045 bytes") == true)
    }

    @Test("A worker logs the messages that it drops")
    func notesAreLogged() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[1]) }
        let worker = Worker(
            launch: LaunchVariable(incarnation: 1, token: [1]),
            group: "",
            socket: OwnedDescriptor(ends[0]),
            features: []
        )
        let log = BlockableLog()
        let kinds = Watched<[RuntimeEvent.Kind]>([])
        let observer = RuntimeObserver(of: .all) { event in kinds.change { $0.append(event.kind) } }
        let events = worker.connectEvents([observer], Logger(label: "test") { _ in log.handler })
        worker.node.note("an answer was dropped")
        #expect(log.lines.value == ["an answer was dropped"])
        let coordinator = RuntimeEvent.Peer.coordinator(processID: 1, path: nil)
        let problem = RuntimeEvent.SessionProblem(code: "overloaded", message: "it reads too slowly")
        events.emit(.sessionEnded, .sessionEnded(coordinator, problem: problem))
        #expect(log.lines.value.last == "The session with the coordinator ended. it reads too slowly")
        #expect(kinds.value == [.callsHeld, .sessionEnded])
    }
}
