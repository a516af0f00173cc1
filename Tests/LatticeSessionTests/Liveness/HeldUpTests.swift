import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@testable import LatticeSession

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Sessions whose thread is held up by the coding of a large value.
@Suite(.timeLimit(.minutes(10))) struct HeldUpTests {
    @Test(
        "A peer that encodes for several times the limit is not given up, and one that only spins is (F7)",
        arguments: SessionLink.allCases
    )
    func codingIsNoSilence(link: SessionLink) async throws {
        try await SessionPair.with(link, liveness: Liveness(interval: .milliseconds(50), timeout: .seconds(2))) {
            pair in
            let reactor = pair.initiator.connection.eventLoop
            let isDone = Watched(false)
            reactor.execute {
                Self.hold(for: .seconds(5)) { reactor.workGoesOn() }
                isDone.change { $0 = true }
            }
            try await isDone.until { $0 }
            #expect(pair.accepted.record.value.closed == 0)
            let isFound = Watched(false)
            reactor.execute { Self.hold(until: isFound) {} }
            let record = try await pair.accepted.record.until { $0.closed > 0 }
            isFound.change { $0 = true }
            #expect(record.error?.code == .timeout)
        }
    }

    // Not over messages: there the update of room comes to the thread that is held up.
    @Test(
        "Data that waited for room is sent while the thread is blocked",
        arguments: [SessionLink.memory, .socketPair]
    )
    func writingGoesOn(link: SessionLink) async throws {
        try await link.withEnds { one, other in
            let raw = RawEnd(one)
            let recorder = SessionRecorder()
            let acceptance = Handshakes.acceptance()
            // In one message: for parts the thread that is held up would have to read credit.
            var limits = WriteQueueLimits()
            limits.wholeBytes = .max
            let session = Session(
                over: other,
                as: .acceptor(acceptance),
                handshakeTimeout: nil,
                limits: limits,
                handler: recorder
            )
            session.start()
            try raw.write(Handshakes.hello())
            try await recorder.record.until { $0.peer != nil }
            let isDone = Watched(false)
            try await withHeld(one.eventLoop) {
                let state = [UInt8](repeating: 1, count: 4 << 20)
                session.send { $0.addState(state, revision: 1, applied: 0, on: 1) }
                other.eventLoop.execute { Self.hold(until: isDone) { other.eventLoop.workGoesOn() } }
            }
            let record = try await raw.record.until { $0.bytes.count > 4 << 20 && $0.hasUnaskedPong }
            #expect(!record.isClosed)
            isDone.change { $0 = true }
        }
    }

    @Test("At most one sign of life waits to be written")
    func signsDoNotPileUp() {
        var output = SessionOutput(queue: WriteQueue())
        for _ in 0..<100 { output.addSignOfLife() }
        #expect(output.queue.count == pongBytes)
        #expect(output.queue.startWriting() != nil)
        #expect(output.queue.finishWriting(pongBytes - 1) == false)
        // Whether there is room is for the next write to find out.
        output.addSignOfLife()
        #expect(output.queue.startWriting() != nil)
        #expect(output.queue.finishWriting(1) == false)
        #expect(output.queue.isEmpty)
        output.addSignOfLife()
        #expect(output.queue.count == pongBytes)
    }

    /// Keeps a thread, and not the processor that others need; not for ever, so that a failure ends.
    private static func hold(
        for limit: Duration = .seconds(60),
        until isDone: Watched<Bool> = Watched(false),
        doing body: () -> Void
    ) {
        let end = ContinuousClock.now + limit
        while !isDone.value, ContinuousClock.now < end {
            usleep(2000)
            body()
        }
    }

    private var pongBytes: Int { FrameHeader.size + Pong(number: Pong.unasked).encoded.count }
}

extension RawEnd.Record {
    fileprivate var hasUnaskedPong: Bool {
        guard let frames = try? WrittenFrame.all(in: bytes) else { return false }
        return frames.contains { $0.kind == .pong && (try? Pong(decoding: $0.body).number) == Pong.unasked }
    }
}
