import LatticeCoding
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@testable import LatticeCoordinator

/// The numbers of channels ascend within a session.
@Suite(.timeLimit(.minutes(10)))
struct ChannelNumberTests {
    @Test(
        "A coordinator ends a session that reuses a channel number or opens a lower one",
        arguments: OpeningSequence.initiator
    )
    func numbersAscend(sequence: OpeningSequence) async throws {
        try await withClient { bench, client, recorder in
            sequence.send(on: client, feature: JournalFeature.identifier)
            let closed = try await recorder.record.until { $0.closed == 1 }
            #expect(closed.error?.code == .goodbye)
            let message = try #require(closed.error?.message)
            #expect(message.contains("channel \(sequence.refusedNumber)"))
            #expect(message.hasSuffix("[outOfOrder]"))
            // Others are served as before.
            let other = bench.makeClient(identity: 2)
            let channel = other.open(TestClient.Recorder())
            try await other.connect()
            #expect(await channel.send(.add(1)).finish() == .finished)
        }
    }

    @Test func aRecordIsThatOfOneFeature() async throws {
        try await withClient { bench, client, recorder in
            client.send { $0.addOpen(Open(feature: "journal", schema: 1), on: 1) }
            let first = try await recorder.record.until { $0.opened.count == 1 }.opened[0]
            client.connection.close()
            try await recorder.record.until { $0.closed == 1 }
            // The same client, channel and record, and another instance: nothing of the first is there.
            try await withClient(bench) { client, recorder in
                let open = Open(feature: "journal", schema: 1, instance: "b", record: first.record)
                client.send { $0.addOpen(open, on: 1) }
                let second = try await recorder.record.until { $0.opened.count == 1 }.opened[0]
                #expect(second.record != nil && second.record != first.record)
                #expect(try await bench.host().channelCount == 0)
            }
        }
    }

    @Test func aCloseIsReadAsAnyMessage() async throws {
        try await withClient { _, client, recorder in
            client.sendControl(WrongClose(), on: 1)
            let closed = try await recorder.record.until { $0.closed == 1 }
            #expect(closed.error?.message.hasSuffix("[duplicateField]") == true)
        }
    }

    private func withClient(_ body: (CoordinatorBench, Session, SessionRecorder) async throws -> Void) async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            try await withClient(bench) { try await body(bench, $0, $1) }
        }
    }

    /// Runs a test with a client that records all messages.
    private func withClient(
        _ bench: CoordinatorBench,
        _ body: (Session, SessionRecorder) async throws -> Void
    ) async throws {
        let (near, far) = MemoryConnection.pair(eventLoop: bench.reactor)
        let identity = [UInt8](repeating: 1, count: 16)
        let hello = Handshakes.hello(role: .client, incarnation: 0, token: [], identity: identity)
        let recorder = SessionRecorder()
        let client = Session(over: near, as: .initiator(hello), handler: recorder)
        bench.clients.accept(far)
        client.start()
        try await recorder.record.until { $0.peer != nil }
        try await body(client, recorder)
    }
}

extension SessionRecorder.Record {
    fileprivate var opened: [Opened] {
        messages.filter { $0.kind == .opened }.compactMap { try? Opened(decoding: $0.body) }
    }
}

/// A close with a key that occurs twice.
private struct WrongClose: WireMessageBody {
    static let kind = MessageKind.close

    init() {}

    func encode(into writer: inout CBORWriter) {
        writer.append(mapHeader: 2)
        for number in [9, 1, 9, 1] as [UInt64] { writer.append(integer: number) }
    }

    init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {}

    func fields<Coder: FieldCoder>(_ coder: inout Coder) {}
}
