import LatticeConcurrency
import LatticeCore
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SessionTests {
    // MARK: Sending

    @Test(arguments: SessionLink.allCases)
    func messagesArriveInOrder(link: SessionLink) async throws {
        try await SessionPair.with(link) { pair in
            for number in 1...1000 as ClosedRange<UInt64> {
                pair.initiator.send { $0.addEvent(number, action: [1, 2, 3], on: 1) }
            }
            let record = try await pair.accepted.record.until { $0.messages.count == 1000 }
            let numbers = try record.messages.map { try EventMessage(decoding: $0.body).event }
            #expect(numbers == Array(1...1000))
        }
    }

    @Test(arguments: SessionLink.allCases)
    func manyThreadsKeepTheOrderOfTheirChannels(link: SessionLink) async throws {
        try await SessionPair.with(link) { pair in
            await withTaskGroup(of: Void.self) { group in
                for channel in 1...8 as ClosedRange<UInt32> {
                    group.addTask {
                        for number in 1...300 as ClosedRange<UInt64> {
                            // Now and then a message that is cut.
                            let size = number.isMultiple(of: 100) ? 200_000 : 40
                            pair.initiator.send {
                                $0.addEvent(number, action: [UInt8](repeating: 1, count: size), on: channel)
                            }
                        }
                    }
                }
            }
            let record = try await pair.accepted.record.until { $0.messages.count == 2400 }
            for channel in 1...8 as ClosedRange<UInt32> {
                let numbers = try record.messages.filter { $0.channel == channel }
                    .map { try EventMessage(decoding: $0.body).event }
                #expect(numbers == Array(1...300))
            }
        }
    }

    @Test(arguments: SessionLink.allCases)
    func controlMessagesOvertakeALargeState(link: SessionLink) async throws {
        try await SessionPair.with(link, accepted: SessionRecorder(keepsBodies: false)) { pair in
            pair.initiator.send { $0.addState([UInt8](repeating: 1, count: 50 << 20), revision: 1, applied: 0, on: 1) }
            pair.initiator.sendControl(CancelMessage(event: 1), on: 1)
            let record = try await pair.accepted.record.until { $0.messages.count == 2 }
            #expect(record.messages.map(\.kind) == [.cancel, .state])
        }
    }

    // MARK: Liveness

    @Test(arguments: SessionLink.allCases)
    func aPingIsAnsweredWhileALargeStateIsOnItsWay(link: SessionLink) async throws {
        try await SessionPair.with(
            link,
            liveness: Liveness(interval: .milliseconds(20), timeout: .seconds(60)),
            initiated: SessionRecorder(keepsBodies: false)
        ) { pair in
            pair.acceptor.send { $0.addState([UInt8](repeating: 1, count: 50 << 20), revision: 1, applied: 0, on: 1) }
            try await pair.initiated.record.until { $0.messages.count == 1 }
            #expect(pair.accepted.record.value.closed == 0)
        }
    }

    @Test("A session checks its limits by itself when they are due (F78)", arguments: SessionLink.allCases)
    func limitsNeedNobodyToTick(link: SessionLink) async throws {
        try await link.withEnds { one, other in
            let raw = RawEnd(one)
            let recorder = SessionRecorder()
            let session = Session(
                over: other,
                as: .acceptor(Handshakes.acceptance()),
                liveness: Liveness(interval: .milliseconds(20), timeout: .milliseconds(60)),
                handshakeTimeout: nil,
                handler: recorder
            )
            session.start()
            try raw.write(Handshakes.hello())
            let record = try await recorder.record.until { $0.closed > 0 }
            #expect(record.error?.code == .timeout)
        }
        try await link.withEnds { one, other in
            let recorder = SessionRecorder()
            let raw = RawEnd(one)
            let session = Session(
                over: other,
                as: .initiator(Handshakes.hello()),
                handshakeTimeout: .milliseconds(30),
                handler: recorder
            )
            session.start()
            let record = try await recorder.record.until { $0.closed > 0 }
            #expect(record.error?.code == .timeout)
            withExtendedLifetime(raw) {}
        }
    }

    @Test(arguments: SessionLink.allCases)
    func pongsAnswerPings(link: SessionLink) async throws {
        try await withOpenAcceptor(link) { raw, _, _ in
            try raw.write(Ping(number: 77))
            try await raw.record.until { (try? WrittenFrame.all(in: $0.bytes).count) == 2 }
            let frames = try WrittenFrame.all(in: raw.record.value.bytes)
            #expect(try Pong(decoding: frames[1].body).number == 77)
        }
    }

    // MARK: Ending

    @Test(arguments: SessionLink.allCases)
    func goodbyeComesAfterWaitingMessages(link: SessionLink) async throws {
        try await SessionPair.with(link, accepted: SessionRecorder(keepsBodies: false)) { pair in
            pair.initiator.send { $0.addState([UInt8](repeating: 1, count: 20 << 20), revision: 1, applied: 0, on: 1) }
            pair.initiator.end()
            #expect(!pair.initiator.send { $0.addEvent(1, action: [], on: 1) })
            let accepted = try await pair.accepted.record.until { $0.closed > 0 }
            #expect(accepted.messages.map(\.kind) == [.state])
            #expect(accepted.error == nil)
            let closed = try await pair.initiated.record.until { $0.closed > 0 }
            #expect(closed.error == nil)
        }
    }

    @Test(
        "A session that has said goodbye to a peer that does not read closes in time",
        arguments: SessionLink.allCases
    )
    func whoDoesNotReadIsNotWaitedFor(link: SessionLink) async throws {
        let liveness = Liveness(interval: .seconds(50), timeout: .milliseconds(100))
        try await SessionPair.with(link, liveness: liveness) { pair in
            try await withHeld(pair.initiator.eventLoop) {
                pair.acceptor.send {
                    $0.addState([UInt8](repeating: 1, count: 20 << 20), revision: 1, applied: 0, on: 1)
                }
                pair.acceptor.end()
                let closed = try await pair.accepted.record.until { $0.closed > 0 }
                #expect(closed.error == nil)
            }
        }
    }

    @Test(arguments: SessionLink.allCases)
    func aServerMustNotCloseItsChannel(link: SessionLink) async throws {
        try await SessionPair.with(link) { pair in
            // The acceptor's own channel, which the initiator would serve.
            pair.initiator.send { $0.addData(Close(), on: 2) }
            let record = try await pair.accepted.record.until { $0.closed > 0 }
            #expect(record.error?.code == .violation)
        }
    }

    @Test(arguments: SessionLink.allCases)
    func aGoodbyeWithAReasonIsHeard(link: SessionLink) async throws {
        try await SessionPair.with(link) { pair in
            pair.initiator.end(.shuttingDown, reason: "the coordinator stopped")
            pair.initiator.end(.normal, reason: "a second time")
            let error = try await pair.accepted.record.until { $0.closed > 0 }.error
            #expect(error?.code == .shutDown)
            #expect(error?.message == "the coordinator stopped")
        }
    }

    @Test(arguments: SessionLink.allCases)
    func messagesAfterGoodbyeAreIgnored(link: SessionLink) async throws {
        try await withOpenAcceptor(link) { raw, _, recorder in
            var bytes: [UInt8] = []
            try Goodbye(code: .normal, reason: "").appendFrame(to: &bytes)
            try EventMessage(event: 1, action: []).appendFrame(to: &bytes, channel: 1)
            try raw.write(bytes)
            let record = try await recorder.record.until { $0.closed > 0 }
            #expect(record.messages.isEmpty)
            #expect(record.error == nil)
        }
    }

    @Test(arguments: SessionLink.allCases)
    func aLostConnectionIsNoError(link: SessionLink) async throws {
        try await SessionPair.with(link) { pair in
            pair.initiator.connection.close()
            let closed = try await pair.accepted.record.until { $0.closed > 0 }
            #expect(closed.error == nil)
            #expect(!pair.acceptor.send { $0.addEvent(1, action: [], on: 1) })
        }
    }

    // MARK: Faults

    @Test(arguments: SessionLink.allCases)
    func aViolationEndsTheSessionAndIsNamed(link: SessionLink) async throws {
        let violation = WireError.notOpen(9, .event)
        try await SessionPair.with(link, accepted: SessionRecorder(violation: violation)) { pair in
            pair.initiator.send { $0.addEvent(1, action: [], on: 9) }
            let accepted = try await pair.accepted.record.until { $0.closed > 0 }
            #expect(accepted.error == .violation(violation))
            #expect(accepted.error?.code == .violation)
            let initiated = try await pair.initiated.record.until { $0.closed > 0 }
            #expect(initiated.error?.detail == "\(violation)")
            #expect(initiated.error?.code == .goodbye)
        }
    }

    @Test("A write that fails for a local reason ends the session", arguments: SessionLink.allCases)
    func aWriteThatFailsEndsTheSession(link: SessionLink) async throws {
        try await link.withEnds { one, other in
            let raw = RawEnd(one)
            let recorder = SessionRecorder()
            let connection = FailingConnection(other)
            let acceptance = Handshakes.acceptance()
            let session = Session(over: connection, as: .acceptor(acceptance), handshakeTimeout: nil, handler: recorder)
            session.start()
            try raw.write(Handshakes.hello())
            try await recorder.record.until { $0.peer != nil }
            let error = TransportError(code: .system, message: "Could not write to a socket: it is not allowed.")
            connection.fail(error)
            session.send { $0.addEvent(1, action: [], on: 1) }
            let record = try await recorder.record.until { $0.closed > 0 }
            #expect(record.error?.code == .transport)
            #expect(record.error?.message == error.message)
        }
    }

    @Test(
        "The reason for the end of a session is sent, also while another thread is writing",
        arguments: SessionLink.allCases
    )
    func theLastWordBehindAWrite(link: SessionLink) async throws {
        try await link.withEnds { one, other in
            let (raw, recorder) = (RawEnd(one), SessionRecorder())
            let connection = HeldConnection(other)
            let acceptance = Handshakes.acceptance()
            let session = Session(over: connection, as: .acceptor(acceptance), handshakeTimeout: nil, handler: recorder)
            session.start()
            try raw.write(Handshakes.hello())
            try await recorder.record.until { $0.peer != nil }
            await session.eventLoop.endOfTick()
            connection.hold()
            try SystemThread.start(name: "test") {
                session.append { $0.addControl(Ping(number: 1)) }
                session.flush()
            }
            try await connection.isHeld.until { $0 }
            session.abort(.replaced)
            await session.eventLoop.endOfTick()
            connection.release()
            let frames = try await raw.frames()
            #expect(frames.map(\.kind) == [.welcome, .ping, .goodbye])
        }
    }

    @Test(arguments: SessionLink.allCases)
    func anUnknownKindEndsTheSessionUnlessItMayBeSkipped(link: SessionLink) async throws {
        try await withOpenAcceptor(link) { raw, _, recorder in
            // length, kind, flags, reserved, channel, body
            try raw.write([0, 0, 0, 1, 0x7f, 0, 1, 0, 0, 0, 0, 0, 0xa0])
            try raw.write(EventMessage(event: 1, action: []), on: 1)
            let skipped = try await recorder.record.until { $0.messages.count == 1 }
            #expect(skipped.closed == 0)
            try raw.write([0, 0, 0, 1, 0x7f, 0, 0, 0, 0, 0, 0, 0, 0xa0])
            let closed = try await recorder.record.until { $0.closed > 0 }
            #expect(closed.error?.code == .violation)
        }
    }

    @Test(arguments: SessionLink.allCases)
    func aSlowReaderEndsTheSession(link: SessionLink) async throws {
        var limits = WriteQueueLimits()
        limits.maximumBytes = 1 << 20
        try await SessionPair.with(link, limits: limits) { pair in
            let error = try await withHeld(pair.initiator.connection.eventLoop) {
                var sent = 0
                while pair.acceptor.send({ $0.addEvent(1, action: [UInt8](repeating: 1, count: 32_000), on: 1) }) {
                    sent += 1
                    #expect(sent < 1000)
                }
                return try await pair.accepted.record.until { $0.closed > 0 }.error
            }
            #expect(error?.code == .overloaded)
            // The number of bytes is near the maximum of 1,048,576.
            #expect(error?.message.contains(": 10") == true)
        }
    }

    @Test(arguments: SessionLink.allCases)
    func oneByteAtATimeIsReadToo(link: SessionLink) async throws {
        try await withOpenAcceptor(link) { raw, _, recorder in
            var bytes: [UInt8] = []
            for event in 1...3 as ClosedRange<UInt64> {
                try EventMessage(event: event, action: [1, 2]).appendFrame(to: &bytes, channel: 1)
            }
            for byte in bytes { try raw.write([byte]) }
            let record = try await recorder.record.until { $0.messages.count == 3 }
            #expect(try record.messages.map { try EventMessage(decoding: $0.body).event } == [1, 2, 3])
        }
    }

    // MARK: Backlog

    @Test(arguments: SessionLink.allCases)
    func aBackloggedChannelIsNotifiedWhenItsDataWasWritten(link: SessionLink) async throws {
        try await SessionPair.with(link, initiated: SessionRecorder(keepsBodies: false)) { pair in
            let channel = pair.accepted.drainedChannel()
            pair.acceptor.eventLoop.execute { pair.acceptor.attach(channel, as: 1) }
            try await withHeld(pair.initiator.connection.eventLoop) {
                let state = [UInt8](repeating: 1, count: 4 << 20)
                pair.acceptor.send { $0.addState(state, revision: 1, applied: 0, on: 1) }
                #expect(!pair.acceptor.canPublish(on: 1))
                // Nothing is reported while the state still waits, however often the session tries to write.
                for _ in 0..<10 { pair.acceptor.flush() }
                try await settle(pair.acceptor)
                #expect(pair.accepted.record.value.drained == 0)
            }
            try await pair.accepted.record.until { $0.drained == 1 }
            #expect(pair.acceptor.canPublish(on: 1))
            try await pair.initiated.record.until { $0.messages.count == 1 }
        }
    }

    /// More than the connection holds: pieces are written in part, and several calls are needed for them.
    @Test(arguments: SessionLink.allCases)
    func sharedStatesArriveWholeAndInOrder(link: SessionLink) async throws {
        let count = 2_000
        try await SessionPair.with(link) { pair in
            try await withHeld(pair.initiator.connection.eventLoop) {
                for revision in 1...UInt64(count) {
                    let state = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ Int(revision)) }
                    var frame = StateFrame(StateOffer(revision: revision, .snapshot(state)))
                    pair.acceptor.append { frame.add(to: &$0, applied: 0, on: 1) }
                    if revision.isMultiple(of: 7) { pair.acceptor.append { $0.addEvent(revision, action: [1], on: 2) } }
                    if revision.isMultiple(of: 500) { pair.acceptor.flush() }
                }
            }
            let record = try await pair.initiated.record.until { $0.messages.count == count + count / 7 }
            let states = try record.messages.filter { $0.kind == .state }.map { try StateMessage(decoding: $0.body) }
            #expect(states.map(\.revision) == Array(1...UInt64(count)))
            for state in states {
                #expect(state.state == (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ Int(state.revision)) })
            }
        }
    }

    /// Returns when what the reactor had to do is done.
    private func settle(_ session: Session) async throws {
        let done = Watched(false)
        session.connection.eventLoop.execute { done.change { $0 = true } }
        try await done.until { $0 }
    }

    private func withOpenAcceptor(
        _ link: SessionLink,
        _ body: (RawEnd, Session, SessionRecorder) async throws -> Void
    ) async throws {
        try await link.withEnds { one, other in
            let raw = RawEnd(one)
            let recorder = SessionRecorder()
            let session = Session(
                over: other,
                as: .acceptor(Handshakes.acceptance()),
                handshakeTimeout: nil,
                handler: recorder
            )
            session.start()
            try raw.write(Handshakes.hello())
            try await recorder.record.until { $0.peer != nil }
            try await raw.record.until { !$0.bytes.isEmpty }
            try await body(raw, session, recorder)
        }
    }
}
