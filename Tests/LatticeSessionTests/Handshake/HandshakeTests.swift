import LatticeSession
import LatticeTestSupport
import LatticeWire
import Testing

struct HandshakeTests {
    @Test func bothSidesLearnOfEachOther() throws {
        var initiator = Handshake(.initiator(Handshakes.hello(versions: 1...3)))
        var acceptor = Handshake(.acceptor(Handshakes.acceptance(versions: 2...9)))
        let first = initiator.start()
        let hello = try #require(first)
        #expect(acceptor.start() == nil)
        guard case .accept(let welcome, let peer) = try acceptor.receive(hello) else {
            Issue.record("not accepted")
            return
        }
        #expect(peer.role == .worker)
        #expect(peer.version == 3)
        #expect(peer.processID == 7)
        guard case .opened(let other) = try initiator.receive(welcome) else {
            Issue.record("not opened")
            return
        }
        #expect(other.role == .coordinator)
        #expect(other.version == 3)
        #expect(other.processID == 8)
        #expect(initiator.isDone && acceptor.isDone)
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let hello: Hello
        let acceptance: Handshake.Acceptance
        let code: RefusalCode
        let reason: String
    }

    static let refusals = [
        Refusal(
            testDescription: "older acceptor",
            hello: Handshakes.hello(versions: 4...5),
            acceptance: Handshakes.acceptance(versions: 1...3),
            code: .version,
            reason: "this side speaks protocol version 1 to 3, the other 4 to 5; update the older program"
        ),
        Refusal(
            testDescription: "newer acceptor",
            hello: Handshakes.hello(versions: 1...1),
            acceptance: Handshakes.acceptance(versions: 2...2),
            code: .version,
            reason: "this side speaks protocol version 2, the other 1; update the older program"
        ),
        Refusal(
            testDescription: "wrong role",
            hello: Handshakes.hello(role: .client),
            acceptance: Handshakes.acceptance(),
            code: .role,
            reason: "a client may not connect here; connect it to a process that accepts a client"
        ),
        Refusal(
            testDescription: "wrong token",
            hello: Handshakes.hello(token: [9]),
            acceptance: Handshakes.acceptance(),
            code: .token,
            reason: "the token is not the one that this worker was given; start workers through a coordinator"
        ),
        Refusal(
            testDescription: "no token",
            hello: Handshakes.hello(token: []),
            acceptance: Handshakes.acceptance(),
            code: .token,
            reason: "the token is not the one that this worker was given; start workers through a coordinator"
        ),
        Refusal(
            testDescription: "another incarnation",
            hello: Handshakes.hello(incarnation: 3),
            acceptance: Handshakes.acceptance(expectedIncarnation: 4),
            code: .incarnation,
            reason:
                "the worker says that it is incarnation 3, but it was started as incarnation 4; it must repeat the"
                + " number with which it was started"
        ),
        Refusal(
            testDescription: "another build that also lacks features",
            hello: Handshakes.hello(build: [0x0a, 0xff]),
            acceptance: Handshakes.acceptance(
                expectedBuild: .only([0x0a, 0xfe]),
                requiredFeatures: [tally(1)]
            ),
            code: .build,
            reason:
                "the worker is of build 0aff, and this coordinator works with build 0afe; restart the coordinator to use"
                + " the new build of the worker"
        ),
        Refusal(
            testDescription: "no build",
            hello: Handshakes.hello(),
            acceptance: Handshakes.acceptance(expectedBuild: .only([1])),
            code: .build,
            reason:
                "the worker is of an unnamed build, and this coordinator works with build 01; restart the coordinator to"
                + " use the new build of the worker"
        ),
        Refusal(
            testDescription: "a build where none was sent before",
            hello: Handshakes.hello(build: [1]),
            acceptance: Handshakes.acceptance(expectedBuild: .only(nil)),
            code: .build,
            reason: "the worker is of build 01, and this coordinator works with an unnamed build; restart the"
                + " coordinator to use the new build of the worker"
        ),
        Refusal(
            testDescription: "no features",
            hello: Handshakes.hello(),
            acceptance: Handshakes.acceptance(requiredFeatures: [tally(1)]),
            code: .features,
            reason:
                "the worker does not serve \"tally\" (schema 1, domain level); it serves nothing; build both programs"
                + " from the same source"
        ),
        Refusal(
            testDescription: "another schema",
            hello: Handshakes.hello(features: [tally(2)]),
            acceptance: Handshakes.acceptance(requiredFeatures: [tally(1)]),
            code: .features,
            reason:
                "the worker does not serve \"tally\" (schema 1, domain level); it serves \"tally\" (schema 2, domain"
                + " level); build both programs from the same source"
        ),
        Refusal(
            testDescription: "another level",
            hello: Handshakes.hello(features: [tally(1, .view)]),
            acceptance: Handshakes.acceptance(requiredFeatures: [tally(1)]),
            code: .features,
            reason: "the worker does not serve \"tally\" (schema 1, domain level); it serves \"tally\" (schema 1, view"
                + " level); build both programs from the same source"
        ),
        Refusal(
            testDescription: "many features missing",
            hello: Handshakes.hello(),
            acceptance: Handshakes.acceptance(requiredFeatures: (1...300).map { tally($0) }),
            code: .features,
            reason: "the worker does not serve \"tally\" (schema 1, domain level), \"tally\" (schema 2, domain level),"
                + " \"tally\" (schema 3, domain level), \"tally\" (schema 4, domain level) and 296 more; it serves nothing;"
                + " build both programs from the same source"
        ),
        Refusal(
            testDescription: "busy",
            hello: Handshakes.hello(),
            acceptance: Handshakes.acceptance(busyReason: "too many are here"),
            code: .busy,
            reason: "too many are here"
        ),
    ]

    private static func tally(_ schema: UInt32, _ level: FeatureLevel = .domain) -> FeatureAdvertisement {
        FeatureAdvertisement(identifier: "tally", schema: schema, level: level)
    }

    @Test(
        arguments: [
            (.first, nil), (.first, [1]), (.only([1]), [1]), (.only(nil), nil),
        ] as [(ExpectedBuild, [UInt8]?)]
    )
    func aWorkerOfTheSameBuildIsTakenIn(expected: ExpectedBuild, build: [UInt8]?) throws {
        var acceptor = Handshake(.acceptor(Handshakes.acceptance(expectedBuild: expected)))
        _ = acceptor.start()
        guard case .accept(_, let peer) = try acceptor.receive(Handshakes.hello(build: build)) else {
            Issue.record("not accepted")
            return
        }
        #expect(peer.build == build)
    }

    @Test func aWorkerMayServeMoreThanIsHosted() throws {
        let features = [Self.tally(2), Self.tally(1, .view), Self.tally(1)]
        var acceptor = Handshake(.acceptor(Handshakes.acceptance(requiredFeatures: [Self.tally(1)])))
        _ = acceptor.start()
        guard case .accept = try acceptor.receive(Handshakes.hello(features: features)) else {
            Issue.record("not accepted")
            return
        }
    }

    @Test("Refusals give their reasons, for versions, roles and tokens (F47)", arguments: refusals)
    func refusalsSayWhy(_ refusal: Refusal) throws {
        var acceptor = Handshake(.acceptor(refusal.acceptance))
        _ = acceptor.start()
        guard case .refuse(let answer) = try acceptor.receive(refusal.hello) else {
            Issue.record("not refused")
            return
        }
        #expect(answer.code == refusal.code)
        #expect(answer.reason == refusal.reason)
        #expect(answer.versions == refusal.acceptance.versions)
        #expect(!acceptor.isDone)
    }

    @Test func aVersionThatWasNotOfferedIsRefused() throws {
        var initiator = Handshake(.initiator(Handshakes.hello()))
        _ = initiator.start()
        let welcome = Handshakes.welcome(version: 2)
        guard case .refuse(let answer) = try initiator.receive(welcome) else {
            Issue.record("not refused")
            return
        }
        #expect(answer.code == .version)
        #expect(answer.reason == "the other side chose protocol version 2, which was not offered")
        #expect(!initiator.isDone)
    }

    @Test func withoutATokenAnyOneWillDo() throws {
        var acceptor = Handshake(.acceptor(Handshakes.acceptance(roles: [.client], token: nil)))
        _ = acceptor.start()
        guard case .accept = try acceptor.receive(Handshakes.hello(role: .client, token: [5])) else {
            Issue.record("not accepted")
            return
        }
    }

    @Test(arguments: MessageKind.allCases.filter { $0 != .hello })
    func anAcceptorTakesNothingButHello(kind: MessageKind) {
        var acceptor = Handshake(.acceptor(Handshakes.acceptance()))
        _ = acceptor.start()
        #expect(throws: SessionError.violation("\(kind) came before the handshake was done")) {
            _ = try acceptor.receive(kind, UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    @Test(arguments: MessageKind.allCases.filter { $0 != .welcome && $0 != .refuse })
    func anInitiatorTakesNothingButTheAnswer(kind: MessageKind) {
        var initiator = Handshake(.initiator(Handshakes.hello()))
        _ = initiator.start()
        #expect(throws: SessionError.violation("\(kind) came before the handshake was done")) {
            _ = try initiator.receive(kind, UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    @Test func aRefusalEndsIt() throws {
        var initiator = Handshake(.initiator(Handshakes.hello()))
        _ = initiator.start()
        let refusal = Refuse(code: .token, reason: "no", versions: 1...1)
        guard case .refuse(let heard) = try initiator.receive(refusal) else {
            Issue.record("not refused")
            return
        }
        #expect(heard == refusal)
        #expect(throws: SessionError.violation("refuse came before the handshake was done")) {
            _ = try initiator.receive(refusal)
        }
    }

    @Test("A broken hello is a violation (F35)") func aBrokenHelloIsAViolation() {
        var acceptor = Handshake(.acceptor(Handshakes.acceptance()))
        _ = acceptor.start()
        let error = #expect(throws: SessionError.self) {
            _ = try [0xff as UInt8].withUnsafeBytes { bytes in try acceptor.receive(.hello, bytes) }
        }
        #expect(error?.code == .violation)
        #expect(error?.cause is WireError)
    }
}

extension Handshake {
    fileprivate mutating func receive(_ message: some WireMessageBody) throws -> Step {
        let bytes = message.encoded
        return try bytes.withUnsafeBytes { try receive(type(of: message).kind, $0) }
    }
}
