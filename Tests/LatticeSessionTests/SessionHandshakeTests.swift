import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SessionHandshakeTests {
    @Test(arguments: SessionLink.allCases)
    func bothSidesOpen(link: SessionLink) async throws {
        try await SessionPair.with(link, hello: Handshakes.hello(incarnation: 4)) { pair in
            #expect(pair.accepted.record.value.peer?.incarnation == 4)
            #expect(pair.initiated.record.value.peer?.role == .coordinator)
        }
    }

    @Test(
        arguments: SessionLink.allCases,
        [(2, 1), (1, 2)] as [(UInt16, UInt16)]
    )
    func versionsWithoutOverlapAreRefused(link: SessionLink, versions: (UInt16, UInt16)) async throws {
        try await SessionPair.with(
            link,
            hello: Handshakes.hello(versions: versions.0...versions.0),
            acceptance: Handshakes.acceptance(versions: versions.1...versions.1),
            isOpen: false
        ) { pair in
            try await expectRefusal(pair, .version)
        }
    }

    @Test(arguments: SessionLink.allCases)
    func aWrongTokenIsRefused(link: SessionLink) async throws {
        try await SessionPair.with(link, hello: Handshakes.hello(token: [9]), isOpen: false) { pair in
            try await expectRefusal(pair, .token)
        }
    }

    @Test(arguments: SessionLink.allCases)
    func aWrongRoleIsRefused(link: SessionLink) async throws {
        try await SessionPair.with(link, hello: Handshakes.hello(role: .tool), isOpen: false) { pair in
            try await expectRefusal(pair, .role)
        }
    }

    /// Expects that both sides end with the refusal, and that the initiator receives the acceptor's reason.
    private func expectRefusal(_ pair: SessionPair, _ refusal: RefusalCode) async throws {
        let accepted = try await pair.accepted.record.until { $0.closed > 0 }
        #expect(accepted.error?.refusal == refusal)
        #expect(accepted.error?.code == .refused)
        #expect(accepted.peer == nil)
        let initiated = try await pair.initiated.record.until { $0.closed > 0 }
        #expect(initiated.error?.refusal == refusal)
        #expect(initiated.error?.detail == accepted.error?.detail)
        #expect(initiated.error?.code == .refused)
        #expect(initiated.peer == nil)
    }

    static let garbage: [(name: String, bytes: [UInt8])] = [
        ("text", Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)),
        ("zeros", [UInt8](repeating: 0, count: 64)),
        ("the longest length", [UInt8](repeating: 0xff, count: 64)),
    ]

    @Test(arguments: SessionLink.allCases, garbage.indices)
    func garbageIsRefusedByName(link: SessionLink, index: Int) async throws {
        try await withAcceptor(link) { raw, _, accepted in
            try raw.write(Self.garbage[index].bytes)
            let record = try await accepted.record.until { $0.closed > 0 }
            let error = try #require(record.error)
            #expect(error.code == .violation)
            let answer = try await raw.frames()
            #expect(answer.map(\.kind) == [.refuse])
            let refusal = try Refuse(decoding: answer.first?.body ?? [])
            #expect(refusal.code == .malformed)
            // To the other side this one is the other one.
            #expect(error == .violation(refusal.reason))
            #expect(record.messages.isEmpty)
        }
    }

    @Test(arguments: SessionLink.allCases)
    func anotherMessageBeforeHelloIsRefused(link: SessionLink) async throws {
        try await withAcceptor(link) { raw, _, accepted in
            try raw.write(Ping(number: 1))
            let record = try await accepted.record.until { $0.closed > 0 }
            #expect(record.error == .violation("ping came before the handshake was done"))
        }
    }

    @Test("Unknown message kinds may come before hello", arguments: SessionLink.allCases)
    func skippableFramesBeforeHelloAreDropped(link: SessionLink) async throws {
        try await withAcceptor(link) { raw, _, accepted in
            for kind in [13, 45, 58, 999] as [UInt16] {
                for flags in [.skippable, [.skippable, .more]] as [FrameFlags] {
                    var bytes: [UInt8] = []
                    FrameHeader(length: 1, kind: kind, flags: flags, channel: 7).append(to: &bytes)
                    try raw.write(bytes + [0xff])
                }
            }
            try raw.write(Handshakes.hello())
            let record = try await accepted.record.until { $0.peer != nil || $0.closed > 0 }
            #expect(record.peer?.role == .worker)
            #expect(record.error == nil)
        }
    }

    @Test(arguments: SessionLink.allCases)
    func aSecondHelloIsAViolation(link: SessionLink) async throws {
        try await withAcceptor(link) { raw, _, accepted in
            try raw.write(Handshakes.hello())
            try raw.write(Handshakes.hello())
            let record = try await accepted.record.until { $0.closed > 0 }
            #expect(record.error?.code == .violation)
            let answer = try await raw.frames()
            #expect(answer.map(\.kind) == [.welcome, .goodbye])
            #expect(try Goodbye(decoding: answer[1].body).code == .violation)
        }
    }

    @Test(arguments: SessionLink.allCases)
    func aSilentPeerIsRefusedInTime(link: SessionLink) async throws {
        try await withAcceptor(link, handshakeTimeout: .milliseconds(50)) { raw, _, accepted in
            let record = try await accepted.record.until { $0.closed > 0 }
            #expect(record.error == .handshakeTimeout(.milliseconds(50)))
            let answer = try await raw.frames()
            #expect(answer.map(\.kind) == [.refuse])
            #expect(try Refuse(decoding: answer.first?.body ?? []).code == .timeout)
        }
    }

    @Test(arguments: SessionLink.allCases)
    func anInitiatorThatWaitsTooLongCloses(link: SessionLink) async throws {
        try await link.withEnds { one, other in
            let raw = RawEnd(other)
            let recorder = SessionRecorder()
            let session = Session(
                over: one,
                as: .initiator(Handshakes.hello()),
                handshakeTimeout: .milliseconds(50),
                handler: recorder
            )
            session.start()
            try await raw.record.until { !$0.bytes.isEmpty }
            let closed = try await recorder.record.until { $0.closed > 0 }
            #expect(closed.error?.code == .timeout)
            #expect(try await raw.frames().map(\.kind) == [.hello])
        }
    }

    @Test(arguments: SessionLink.allCases)
    func anInitiatorClosesOnAVersionThatItDidNotOffer(link: SessionLink) async throws {
        try await link.withEnds { one, other in
            let raw = RawEnd(other)
            let recorder = SessionRecorder()
            let hello = Handshakes.hello()
            let session = Session(over: one, as: .initiator(hello), handshakeTimeout: nil, handler: recorder)
            session.start()
            try await raw.record.until { !$0.bytes.isEmpty }
            try raw.write(Handshakes.welcome(version: 2))
            let closed = try await recorder.record.until { $0.closed > 0 }
            #expect(closed.error?.code == .refused)
            #expect(closed.error?.refusal == .version)
            #expect(try await raw.frames().map(\.kind) == [.hello])
        }
    }

    @Test(arguments: SessionLink.allCases)
    func endingBeforeTheHandshakeClosesSilently(link: SessionLink) async throws {
        try await withAcceptor(link) { raw, session, accepted in
            session.end(.shuttingDown, reason: "over")
            let closed = try await accepted.record.until { $0.closed > 0 }
            #expect(closed.error == nil)
            #expect(try await raw.frames().isEmpty)
        }
    }

    private func withAcceptor(
        _ link: SessionLink,
        handshakeTimeout: Duration? = nil,
        _ body: (RawEnd, Session, SessionRecorder) async throws -> Void
    ) async throws {
        try await link.withEnds { one, other in
            let recorder = SessionRecorder()
            let session = Session(
                over: other,
                as: .acceptor(Handshakes.acceptance()),
                handshakeTimeout: handshakeTimeout,
                handler: recorder
            )
            session.start()
            try await body(RawEnd(one), session, recorder)
        }
    }
}
