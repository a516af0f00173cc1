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

@Suite(.serialized, .timeLimit(.minutes(10)))
@MainActor struct SharedViewStateTests {
    /// A view state that records where it is encoded.
    struct Shown: Codable, Equatable, Sendable {
        struct Encoding: Equatable {
            let number: Int
            let isOnEventLoop: Bool?
        }

        static let eventLoop = Locked<Reactor?>(nil)
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
            let encoding = Encoding(number: number, isOnEventLoop: Self.eventLoop.withLock { $0?.isCurrent })
            Self.encodings.withLock { $0.append(encoding) }
            Self.gate.withLock(\.self)?.wait()
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }

    private typealias Body = @MainActor @Sendable (SharedViewState<Shown>, Reactor) async throws -> Void

    private nonisolated func with(_ body: Body) async throws {
        try await withReactor { reactor in
            let shared = SharedViewState<Shown>(
                SharingContext(
                    RuntimeEvent.Instance(feature: "f", key: ""),
                    on: reactor,
                    events: ClientEvents(on: reactor),
                    maximumBytes: 1_000_000,
                    limits: ChannelLimits()
                )
            )
            Shown.encodings.withLock { $0 = [] }
            Shown.eventLoop.withLock { $0 = reactor }
            defer { Shown.eventLoop.withLock { $0 = nil } }
            try await body(shared, reactor)
        }
    }

    private func makeChannel(on reactor: Reactor) -> ChannelServer {
        ChannelServer(number: 1, state: .forwarding(), sender: 1, record: 1, eventLoop: reactor)
    }

    /// Shows a client that has opened a channel this view state.
    private func attach(
        _ channel: ChannelServer,
        on session: Session,
        showing viewState: Shown,
        _ shared: SharedViewState<Shown>
    ) async -> ChannelAttachment {
        await withCheckedContinuation { waiter in
            session.eventLoop.execute {
                shared.attach(
                    channel,
                    of: .sample(.random()),
                    on: session,
                    showing: { viewState },
                    status: { HostStatusMessage(.connecting) },
                    done: { waiter.resume(returning: $0) }
                )
            }
        }
    }

    @Test("What a client gets first is encoded on the event loop if the view state before was small")
    func whereItIsEncoded() async throws {
        try await with { shared, reactor in
            for (number, bytes) in [(1, 10), (2, 20), (3, 300_000), (4, 30), (5, 40)] {
                let (session, _) = try await connect(on: reactor)
                let channel = makeChannel(on: reactor)
                await link(channel, to: session)
                #expect(await attach(channel, on: session, showing: Shown(number, bytes: bytes), shared) == .attached)
                await reactor.run {
                    shared.detach(channel, done: {})
                    // Without clients it is not encoded.
                    shared.show(Shown(0, bytes: 10))
                }
            }
            let encodings = Shown.encodings.withLock(\.self)
            #expect(encodings.map(\.number) == [1, 2, 3, 4, 5])
            #expect(encodings.map(\.isOnEventLoop) == [false, true, true, false, true])
        }
    }

    @Test("The reason why a view state is not shown is reported until one is shown")
    func problems() async throws {
        try await with { shared, reactor in
            let problems = Watched<[String?]>([])
            shared.onProblem { problem, _ in problems.change { $0.append(problem) } }
            let (session, recorder) = try await connect(on: reactor)
            let channel = makeChannel(on: reactor)
            await link(channel, to: session)
            let sentence =
                "The view state of \"f\" has 2000005 bytes, and the maximum is 1000000. Clients keep the one before it."
            let first = await attach(channel, on: session, showing: Shown(1, bytes: 2_000_000), shared)
            #expect(first == .unavailable(sentence))
            await reactor.run { shared.show(Shown(2, bytes: 2)) }
            #expect(await attach(channel, on: session, showing: Shown(2, bytes: 2), shared) == .attached)
            await reactor.run { shared.show(Shown(3, bytes: 2_000_000)) }
            #expect(problems.value == [sentence, nil, sentence])
            try await recorder.record.until { $0.messages.first?.kind == .opened }
        }
    }

    // MARK: Clients that come back

    @Test("An answer to an ended session does not go to the next one, which gets its own and then each state")
    func answerToAnEarlierSession() async throws {
        try await with { shared, reactor in
            let channel = makeChannel(on: reactor)
            let (older, _) = try await connect(on: reactor)
            let (newer, recorder) = try await connect(on: reactor)
            await link(channel, to: older)
            let gate = DispatchSemaphore(value: 0)
            Shown.gate.withLock { $0 = gate }
            defer { gate.signal() }
            async let first = attach(channel, on: older, showing: Shown(1, bytes: 10), shared)
            try await poll { Shown.encodings.withLock { !$0.isEmpty } }
            Shown.gate.withLock { $0 = nil }
            await link(channel, to: newer)
            await reactor.run { shared.detach(channel, done: { Issue.record("It was attached.") }) }
            gate.signal()
            #expect(await first == .left)
            // Otherwise the newer session would treat the channel as gone.
            try #require(await reactor.run { channel.isOpening(on: newer) })
            #expect(await attach(channel, on: newer, showing: Shown(1, bytes: 10), shared) == .attached)
            await reactor.run { shared.show(Shown(2, bytes: 20)) }
            let record = try await recorder.record.until { $0.messages.contains { $0.kind == .state } }
            #expect(record.messages.map(\.kind) == [.opened, .hostStatus, .state])
        }
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
        await session.eventLoop.run { channel.link(to: session, by: open) }
    }
}

extension SharedViewState {
    /// Shows a view state to the clients.
    fileprivate func show(_ viewState: ViewState) {
        order.perform { [self] in present(isShared ? encode(viewState) : nil, throughForwarded: 0) }
    }
}
