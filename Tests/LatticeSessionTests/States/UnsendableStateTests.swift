import Dispatch
import LatticeConcurrency
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

/// Tests states that cannot be sent to a client: they are too large for it, or cannot be encoded.
@Suite(.timeLimit(.minutes(10))) struct UnsendableStateTests {
    @Test("A client is refused a state above its maximum size", arguments: [0, 99] as [UInt32])
    func refused(maximum: UInt32) async throws {
        try await open(maximumState: maximum, state: 100) { recorder, host in
            let record = try await recorder.record.until { !$0.messages.isEmpty }
            #expect(record.messages.map(\.kind) == [.openRefused])
            let refusal = try OpenRefused(decoding: record.messages[0].body)
            #expect(refusal.code == .tooLarge)
            #expect(
                refusal.reason
                    == "The state has 100 bytes, but the client accepts at most \(maximum) bytes. Open the channel with a larger"
                    + " maximumState."
            )
            // The owner of the session releases the channel.
            try await host.left.until { !$0.isEmpty }
            await host.endOfTick()
            #expect(host.left.value == [1])
        }
    }

    @Test("A channel ends when its state grows above its client's maximum")
    func closed() async throws {
        try await open(maximumState: 100, state: 100) { recorder, host in
            try await recorder.record.until { $0.messages.map(\.kind) == [.opened] }
            host.show(99)
            try await recorder.record.until { $0.messages.map(\.kind) == [.opened, .state] }
            host.show(101)
            let record = try await recorder.record.until { $0.messages.count == 3 }
            let closed = try Closed(decoding: record.messages[2].body)
            #expect(record.messages[2].kind == .closed)
            #expect(closed.code == .failed)
            #expect(closed.reason.hasPrefix("The state has 101 bytes, but the client accepts at most 100 bytes."))
            // Later states are dropped.
            host.show(10)
            await host.endOfTick()
            #expect(recorder.record.value.messages.count == 3)
            #expect(host.left.value == [1])
        }
    }

    @Test("A channel ends when its state cannot be encoded, and its owner forgets it")
    func notEncodable() async throws {
        try await open(maximumState: 100, state: 100) { recorder, host in
            try await recorder.record.until { $0.messages.map(\.kind) == [.opened] }
            host.recordNotEncodable()
            host.release()
            let record = try await recorder.record.until { $0.messages.count == 2 }
            let closed = try Closed(decoding: record.messages[1].body)
            #expect(record.messages[1].kind == .closed && closed.code == .failed)
            #expect(closed.reason.hasPrefix("The state cannot be sent: "))
            try await host.left.until { !$0.isEmpty }
            await host.endOfTick()
            #expect(host.left.value == [1])
        }
    }

    @Test("A state whose encoding fails late does not end a channel that was opened again meanwhile")
    func outdated() async throws {
        try await open(maximumState: 100, state: 100) { first, host in
            try await first.record.until { $0.messages.map(\.kind) == [.opened] }
            let (goesOn, hasBegun, hasFailed) = (DispatchSemaphore(value: 0), Watched(false), Watched(false))
            // A job that has failed releases its closure.
            host.recordNotEncodable { [end = End(hasFailed)] in
                hasBegun.change { $0 = true }
                goesOn.wait()
                withExtendedLifetime(end) {}
            }
            host.release()
            try await hasBegun.until { $0 }
            host.record(10)
            try await open(host, maximumState: 100) { second in
                try await second.record.until { $0.messages.map(\.kind) == [.opened] }
                goesOn.signal()
                try await hasFailed.until { $0 }
                for _ in 0..<20 { await host.endOfTick() }
                host.show(20)
                let record = try await second.record.until { $0.messages.count == 2 }
                #expect(record.messages.map(\.kind) == [.opened, .state])
                #expect(host.left.value.isEmpty)
            }
        }
    }

    private func open(
        maximumState: UInt32,
        state: Int,
        _ body: (SessionRecorder, SizedHost) async throws -> Void
    ) async throws {
        try await withReactor { reactor in
            let host = SizedHost(state, on: reactor)
            try await open(host, maximumState: maximumState) { try await body($0, host) }
        }
    }

    /// Connects a client to a host, and opens a channel.
    private func open(
        _ host: SizedHost,
        maximumState: UInt32,
        _ body: (SessionRecorder) async throws -> Void
    ) async throws {
        let recorder = SessionRecorder()
        let (one, other) = MemoryConnection.pair(eventLoop: host.eventLoop)
        let client = Session(
            over: one,
            as: .initiator(Handshakes.hello()),
            handshakeTimeout: nil,
            handler: recorder
        )
        let acceptance = Handshakes.acceptance()
        Session(over: other, as: .acceptor(acceptance), handshakeTimeout: nil, handler: host).start()
        client.start()
        try await recorder.record.until { $0.peer != nil }
        let open = Open(
            feature: "f",
            schema: 1,
            instance: "",
            state: nil,
            revision: 0,
            resumeAfter: 0,
            maximumState: maximumState
        )
        client.send { $0.addOpen(open, on: 1) }
        try await body(recorder)
    }
}

/// Reports when it is released.
private final class End: Sendable {
    private let isReleased: Watched<Bool>

    init(_ isReleased: Watched<Bool>) {
        self.isReleased = isReleased
    }

    deinit {
        isReleased.change { $0 = true }
    }
}

/// Shows a client states of given sizes.
private final class SizedHost: ChannelHost, SessionHandler {
    private let source: StateSource
    private let server = Watched<ChannelServer?>(nil)
    let eventLoop: any EventLoop
    /// The released channels.
    let left = Watched<[UInt32]>([])

    init(_ bytes: Int, on eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        source = StateSource(on: eventLoop)
        record(bytes)
    }

    func show(_ bytes: Int) {
        record(bytes)
        release()
    }

    /// Makes a state the newest one whose encoding throws, after it has called `work`.
    func recordNotEncodable(after work: @escaping @Sendable () -> Void = {}) {
        eventLoop.execute { [source] in
            source.log.value.change(by: nil) {
                work()
                throw CancellationError()
            }
        }
    }

    func record(_ bytes: Int) {
        eventLoop.execute { [source] in source.replace(by: [UInt8](repeating: 0, count: bytes)) }
    }

    func release() {
        eventLoop.execute { [self] in
            var frames: StateFrames? = source.frames
            guard let server = server.value else { return }
            if server.release(&frames, throughForwarded: .max) { server.flushSoon() }
        }
    }

    func endOfTick() async {
        await eventLoop.endOfTick()
    }

    func sessionOpened(_ session: Session, peer: Handshake.Peer) {}

    func session(_ session: Session, opens channel: UInt32, _ open: Open) {
        let new = ChannelServer(number: channel, state: .forwarding(), sender: 1, eventLoop: session.eventLoop)
        let server = self.server.value ?? new
        self.server.change { $0 = server }
        server.link(to: session, by: open)
        server.answer(by: self, on: session, showing: source, throughForwarded: .max)
    }

    func session(_ session: Session, left channel: UInt32) {
        left.change { $0.append(channel) }
    }

    func session(_ session: Session, received kind: MessageKind, body: UnsafeRawBufferPointer) {}
    func sessionClosed(_ session: Session, error: SessionError?) {}
    func start(_ event: borrowing IncomingEvent, for server: ChannelServer) -> EventStart { .ended(.finished) }
}
