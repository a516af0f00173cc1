import LatticeCore
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@testable import LatticeCoordinator

@Suite(.timeLimit(.minutes(3)))
struct MirrorTests {
    @Test("F79: what is rejected for lack of room leaves earlier events unacknowledged, and the next opened says so")
    func aRejectionThatOvertakesAcknowledgesNothingElse() async throws {
        try await withReactor { reactor in
            let (client, server, recorder) = try await connected(reactor)
            defer { client.connection.close() }
            // The first event is on its way to the worker, there is no room for the second.
            let key = FeatureRegistry.Key(feature: "journal", instance: "")
            let mirror = Mirror(key: key, record: 1, sender: .random(), channel: 1) { action, _ in
                let completion = EventCompletion()
                guard action == [1] else {
                    completion.complete(.rejected(.overloaded))
                    return (completion, nil)
                }
                return (completion, 10)
            }
            mirror.link(server, number: 1)
            mirror.open(state: [0xa0], revision: 1, acknowledged: 9, host: .local)
            try send(1, [1], to: mirror, server)
            try send(2, [2], to: mirror, server)
            let first = try await recorder.record.until { $0.messages.contains { $0.kind == .completion } }
            #expect(first.messages.map(\.kind) == [.opened, .hostStatus, .completion])
            mirror.open(state: [0xa0], revision: 1, acknowledged: 9, host: .local)
            let second = try await recorder.record.until { $0.messages.count { $0.kind == .opened } == 2 }
            let opened = try #require(second.messages.last { $0.kind == .opened })
            #expect(try opened.body.withUnsafeBytes { try Opened(decoding: $0).applied } == 0)
            // The worker has it: now it is acknowledged.
            mirror.open(state: [0xa0], revision: 1, acknowledged: 10, host: .local)
            let third = try await recorder.record.until { $0.messages.count { $0.kind == .opened } == 3 }
            let last = try #require(third.messages.last { $0.kind == .opened })
            #expect(try last.body.withUnsafeBytes { try Opened(decoding: $0).applied } == 1)
        }
    }

    private func send(_ event: UInt64, _ action: [UInt8], to mirror: Mirror, _ session: Session) throws {
        var writer = CBORWriter()
        EventMessage(event: event, action: action).encode(into: &writer)
        try writer.bytes.withUnsafeBytes { try mirror.receive(.event, $0, from: session) }
    }

    private func connected(_ reactor: Reactor) async throws -> (Session, Session, SessionRecorder) {
        let (near, far) = MemoryConnection.pair(eventLoop: reactor)
        let recorder = SessionRecorder()
        let hello = Handshakes.hello(role: .client, token: [])
        let client = Session(over: near, as: .initiator(hello), handler: recorder)
        let acceptance = Handshakes.acceptance(roles: [.client], token: nil)
        let server = Session(over: far, as: .acceptor(acceptance), handler: SessionRecorder())
        server.start()
        client.start()
        try await recorder.record.until { $0.peer != nil }
        return (client, server, recorder)
    }
}
