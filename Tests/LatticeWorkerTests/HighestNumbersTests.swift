import LatticeCoding
import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@testable import LatticeWorker

/// A peer's number at the end of its range is a violation, and one just below it is a number like any other.
@Suite(.timeLimit(.minutes(10)))
struct HighestNumbersTests {
    private static let highest = MessageLimits.maximumGrowing

    @Test func aWorkerContinuesFromTheHighestNumbers() async throws {
        try await WorkerBench.withHost { raw, session, _ in
            let state = try CBOREncoder().encode(JournalFeature.initialDomainState(in: HostContext()))
            let open = Open(
                feature: JournalFeature.identifier,
                schema: 1,
                state: state,
                revision: Self.highest - 1,
                resumeAfter: Self.highest - 1
            )
            session.send { $0.addData(open, on: 2) }
            let action = try CBOREncoder().encode(JournalFeature.Action.add(1))
            session.send { $0.addEvent(Self.highest, action: action, on: 2) }
            let messages = try await raw.record.until { $0.messages.contains { $0.kind == .completion } }.messages
            let states = messages.filter { $0.kind == .state }
            let newest = try StateMessage(decoding: try #require(states.last).body)
            #expect(newest.revision == Self.highest)
            #expect(newest.applied == Self.highest)
            // The same number again is a duplicate, and one more does not exist.
            session.send { $0.addEvent(Self.highest, action: action, on: 2) }
            session.sendControl(CancelMessage(event: Self.highest), on: 2)
            session.sendControl(Ping(number: .max))
            session.end()
            try await raw.record.until { $0.closed == 1 }
        }
    }

    static let tooHigh: [(name: String, body: any WireMessageBody)] = [
        ("open, revision", Open(feature: "journal", schema: 1, revision: highest + 1)),
        ("open, resumeAfter", Open(feature: "journal", schema: 1, resumeAfter: .max)),
        ("event", EventMessage(event: .max, action: [])),
        ("cancel", CancelMessage(event: highest + 1)),
    ]

    @Test(arguments: tooHigh.indices)
    func aWorkerIsNotTakenPastThem(index: Int) async throws {
        try await WorkerBench.withHost { raw, session, host in
            session.send { $0.addData(Open(feature: JournalFeature.identifier, schema: 1), on: 2) }
            try await raw.record.until { $0.messages.contains { $0.kind == .opened } }
            session.send { queue in
                func add(_ body: some WireMessageBody) { queue.addData(body, on: body is Open ? 4 : 2) }
                add(Self.tooHigh[index].body)
            }
            let closed = try await raw.record.until { $0.closed == 1 }
            #expect(closed.error?.code == .goodbye)
            let violation = try #require(closed.error?.detail)
            #expect(violation.contains(" 9223372036854775807"))
            #expect(violation.hasSuffix("[badField]"))
            // The process continues, and can report the error.
            await #expect(throws: SessionError.self) { try await host.ended.value.get() }
        }
    }

    static let answers: [(name: String, body: any WireMessageBody)] = [
        ("opened, revision", Opened(revision: .max, applied: 0, state: [0xa0])),
        ("opened, applied", Opened(revision: 1, applied: highest + 1, state: [0xa0])),
        ("state, revision", StateMessage(revision: highest + 1, applied: 0, state: [0xa0])),
        ("state, applied", StateMessage(revision: 2, applied: .max, state: [0xa0])),
        ("completion", CompletionMessage(event: .max, revision: 1, outcome: .finished)),
        ("completion, through", CompletionMessage(event: 1, through: .max, revision: 1, outcome: .finished)),
        ("acknowledgement", AcknowledgementMessage(applied: .max, revision: 1)),
    ]

    @Test(arguments: answers.indices)
    func anOpenerIsNotTakenPastThem(index: Int) async throws {
        try await withReactor { reactor in
            let (near, far) = MemoryConnection.pair(eventLoop: reactor)
            let owner = OwnerRecorder()
            let channels = ClientChannels(eventLoop: reactor, as: .acceptor)
            channels.connect(owner)
            let server = SessionRecorder()
            let coordinator = Session(
                over: near,
                as: .acceptor(Handshakes.acceptance()),
                handshakeTimeout: nil,
                handler: channels
            )
            let worker = Session(over: far, as: .initiator(Handshakes.hello()), handshakeTimeout: nil, handler: server)
            let recorder = WorkerBench.Recorder()
            let channel = WorkerBench.Channel(
                .init(feature: "journal", schema: 1, instance: "", restoresState: true),
                in: channels,
                sender: nil,
                deliver: { recorder.receive($0) }
            )
            coordinator.start()
            worker.start()
            try await server.record.until { $0.messages.contains { $0.kind == .open } }
            _ = channel.send(.add(1))
            worker.send { queue in
                func add(_ body: some WireMessageBody) { queue.addData(body, on: channel.channel.number) }
                add(Self.answers[index].body)
            }
            let error = try await owner.closed.until { $0.count == 1 }.first ?? nil
            #expect(error?.code == .violation)
        }
    }
}
