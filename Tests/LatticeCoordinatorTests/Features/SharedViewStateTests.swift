import Dispatch
import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@testable import LatticeCoordinator

@Suite(.serialized, .timeLimit(.minutes(3)))
@MainActor struct SharedViewStateTests {
    /// A view state that records where it is encoded.
    struct Shown: Codable, Equatable, Sendable {
        struct Encoding: Equatable {
            let number: Int
            /// The task in which the view state was encoded.
            let task: Int?
        }

        static var task: Int? { withUnsafeCurrentTask { $0?.hashValue } }
        /// All of them, of the one test that runs.
        static let encodings = Locked<[Encoding]>([])
        /// A semaphore that an encoding waits for, if it is set.
        static let gate = Locked<DispatchSemaphore?>(nil)

        var number: Int
        var text: String

        init(_ number: Int, bytes: Int) {
            self.number = number
            text = String(repeating: "x", count: bytes)
        }

        func encode(to encoder: any Encoder) throws {
            let encoding = Encoding(number: number, task: Shown.task)
            Self.encodings.withLock { $0.append(encoding) }
            Self.gate.withLock(\.self)?.wait()
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }

    private nonisolated func with(
        _ body: @MainActor @Sendable (SharedViewState<Shown>, Reactor) async throws -> Void
    ) async throws {
        try await withReactor { reactor in
            try await body(
                SharedViewState(
                    RuntimeEvent.Instance(feature: "f", key: ""),
                    on: reactor,
                    events: ClientEvents(),
                    maximumBytes: 1_000_000,
                    limits: ChannelLimits()
                ),
                reactor
            )
        }
    }

    /// Waits until all earlier view states are shown and no work is running, so that the next one is encoded by its
    /// sender.
    private func shown(by shared: SharedViewState<Shown>) async throws {
        await withCheckedContinuation { waiter in shared.perform { waiter.resume() } }
        try await poll { shared.order.isFree }
    }

    @Test("A small view state is encoded by the sender, and a large one or the first one on another thread")
    func whereItIsEncoded() async throws {
        try await with { shared, _ in
            Shown.encodings.withLock { $0 = [] }
            for (number, bytes) in [(1, 10), (2, 20), (3, 300_000), (4, 300_001), (5, 30), (6, 40)] {
                shared.show(Shown(number, bytes: bytes))
                try await shown(by: shared)
            }
            let places = Shown.encodings.withLock(\.self)
            #expect(places.map(\.number) == [1, 2, 3, 4, 5, 6])
            // How large it is is known of the one before.
            #expect(places.map { $0.task == Shown.task } == [false, true, true, false, false, true])
            #expect(!shared.isEmpty)
            #expect(shared.problem == nil)
        }
    }

    @Test("The reason why a view state is not shown is reported until one is shown")
    func problems() async throws {
        try await with { shared, _ in
            let changes = Watched(0)
            shared.onProblem { _ in changes.change { $0 += 1 } }
            shared.show(Shown(1, bytes: 2_000_000))
            try await shown(by: shared)
            #expect(shared.isEmpty)
            #expect(
                shared.problem
                    == "The view state of \"f\" has 2000005 bytes, and the maximum is 1000000. Clients keep the one before"
                    + " it."
            )
            shared.show(Shown(2, bytes: 2))
            try await shown(by: shared)
            #expect(shared.problem == nil)
            #expect(!shared.isEmpty)
            #expect(changes.value == 2)
        }
    }

    // MARK: Clients that come back

    @Test("An answer to an ended session does not go to the next one, which gets its own and then each state")
    func answerToAnEarlierSession() async throws {
        try await with { shared, reactor in
            let channel = ChannelServer(
                number: 1,
                state: .forwarding(),
                sender: 1,
                record: 1,
                eventLoop: reactor
            )
            let (client, status) = (EventSender.random(), HostStatusMessage(.connecting))
            let (older, _) = try await connect(on: reactor)
            let (newer, recorder) = try await connect(on: reactor)
            func attach(on session: Session, expecting result: ChannelAttachment) {
                shared.attach(
                    channel,
                    of: client,
                    on: session,
                    showing: { Shown(1, bytes: 10) },
                    status: { status },
                    done: { #expect($0 == result) }
                )
            }
            try await withHeldEncoding {
                shared.show(Shown(1, bytes: 10))
                await link(channel, to: older)
                // Comes behind the state that is being encoded.
                attach(on: older, expecting: .left)
                await link(channel, to: newer)
                shared.detach(channel, done: { Issue.record("It was attached.") })
            }
            try await shown(by: shared)
            // Otherwise the newer session would treat the channel as gone.
            try #require(channel.isOpening(on: newer))
            attach(on: newer, expecting: .attached)
            shared.show(Shown(2, bytes: 20))
            let record = try await recorder.record.until { $0.messages.contains { $0.kind == .state } }
            #expect(record.messages.map(\.kind) == [.opened, .hostStatus, .state])
        }
    }

    /// Blocks the encoding of view states until `body` has returned.
    private func withHeldEncoding(_ body: () async throws -> Void) async throws {
        let gate = DispatchSemaphore(value: 0)
        Shown.gate.withLock { $0 = gate }
        defer {
            Shown.gate.withLock { $0 = nil }
            gate.signal()
        }
        try await body()
    }

    /// Connects a client. Returns the coordinator's session and a recorder of the client's messages.
    private func connect(on eventLoop: any EventLoop) async throws -> (Session, SessionRecorder) {
        let (near, far) = MemoryConnection.pair(eventLoop: eventLoop)
        let recorder = SessionRecorder()
        let client = Session(over: near, as: .initiator(Handshakes.hello()), handshakeTimeout: nil, handler: recorder)
        let session = Session(
            over: far,
            as: .acceptor(Handshakes.acceptance()),
            handshakeTimeout: nil,
            handler: SessionRecorder()
        )
        session.start()
        client.start()
        try await recorder.record.until { $0.peer != nil }
        return (session, recorder)
    }

    private func link(_ channel: ChannelServer, to session: Session) async {
        let open = Open(feature: "f", schema: 1, instance: "", state: nil, revision: 0, resumeAfter: 0)
        await withCheckedContinuation { linked in
            session.eventLoop.execute {
                channel.link(to: session, by: open)
                linked.resume()
            }
        }
    }
}

extension SharedViewState {
    /// Shows a view state, and encodes it even if there are no clients.
    fileprivate func show(_ viewState: ViewState) {
        perform { [self] in present(viewState, throughForwarded: 0) }
        prepare { viewState }
    }
}
