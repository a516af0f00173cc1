import LatticeConcurrency
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@testable import LatticeControl

/// A control client at coordinators that do what the test says.
@Suite(.timeLimit(.minutes(10)))
struct ControlClientTests {
    /// Runs a test with a client that is connected to a coordinator, which answers each request as the test says.
    private func with(
        timeout: Duration = .seconds(60),
        answer: @escaping @Sendable (DescribeMessage, Session) throws(WireError) -> Void,
        _ body: (ControlClient) async throws -> Void
    ) async throws {
        try await withReactor { reactor in
            let client = try ControlClient(path: "/socket", timeout: timeout, connectTimeout: .seconds(60))
            defer { client.close() }
            let (near, far) = MemoryConnection.pair(eventLoop: reactor)
            let coordinator = ScriptedCoordinator(answer)
            let acceptance = Handshakes.acceptance(roles: [.tool], token: nil)
            Session(over: far, as: .acceptor(acceptance), handler: coordinator).start()
            try await client.connect(over: near)
            try await body(client)
        }
    }

    @Test("A page has the rows of the answer, also fields that this version does not know")
    func page() async throws {
        try await with { request, session in
            #expect(request.section == "futures")
            #expect(request.filter == "x" && request.sortKey == "size" && request.reverse == 1)
            #expect(request.limit == 5 && request.offset == 2)
            // An array of one map with the key "novelty", whose value is tagged and nested.
            let rows: [UInt8] = [0x81, 0xa1, 0x67] + Array("novelty".utf8) + [0xc1, 0x81, 0xf5]
            let answer = DescriptionMessage(request: request.request, total: 9, shown: 1, rows: rows, cut: .limit)
            _ = session.addToSession(answer)
            session.flushSoon()
        } _: { client in
            let page = try await client.describe(
                "futures",
                containing: "x",
                sortedBy: "size",
                reversed: true,
                limit: 5,
                offset: 2
            )
            #expect(page.rows == [["novelty": [true]]])
            #expect(page.total == 9 && page.offset == 2 && page.cut == .limit)
        }
    }

    @Test("A coordinator of an older version is named as the reason")
    func older() async throws {
        try await with { _, _ throws(WireError) in
            throw .unexpected(.describe, at: "a coordinator, sent by a client")
        } _: { client in
            let error = await #expect(throws: ControlError.self) { try await client.describe() }
            #expect(error?.code == .unsupported)
            #expect(
                error?.message
                    == "The coordinator at \"/socket\" does not understand the request, because its program has an older"
                    + " version of Lattice. Build it from the same source as this tool."
            )
            // The session has ended.
            let later = await #expect(throws: ControlError.self) { try await client.describe() }
            #expect(later?.code == .unreachable)
        }
    }

    @Test("A coordinator that does not answer ends the wait in time, and its late answer is no violation")
    func silent() async throws {
        let late = Watched<[(UInt64, Session)]>([])
        try await with(timeout: .milliseconds(50)) { request, session in
            let entry = (request.request, session)
            late.change { $0.append(entry) }
        } _: { client in
            let error = await #expect(throws: ControlError.self) { try await client.describe() }
            #expect(error?.code == .silent)
            for (number, session) in late.value {
                _ = session.addToSession(DescriptionMessage(request: number, total: 0, shown: 0, rows: [0x80]))
                session.flushSoon()
            }
            let again = await #expect(throws: ControlError.self) { try await client.describe() }
            #expect(again?.code == .silent)
        }
    }

    static let wrong: [(name: String, answer: DescriptionMessage)] = [
        ("no request", DescriptionMessage(request: 77, total: 0, shown: 0, rows: [0x80])),
        ("an error that is not known", DescriptionMessage(request: 1, DescriptionCode(rawValue: 99), reason: "")),
        ("rows that are no array", DescriptionMessage(request: 1, total: 1, shown: 1, rows: [0x01])),
    ]

    @Test("An answer that cannot be understood is an error", arguments: wrong)
    func misunderstood(name: String, answer: DescriptionMessage) async throws {
        try await with { _, session in
            _ = session.addToSession(answer)
            session.flushSoon()
        } _: { client in
            let error = await #expect(throws: ControlError.self) { try await client.describe() }
            #expect(error?.code == (answer.request == 1 ? .unreadable : .unreachable))
        }
    }

    @Test("A coordinator that knows no subscriptions is asked again after each interval")
    func polling() async throws {
        try await with { request, session in
            // The first request asks for a subscription, and the next ones for one answer each.
            let number = request.request
            #expect((request.intervalMilliseconds == nil) == (number > 1) && request.limit == 3)
            // An array of one map with the key "a".
            let rows: [UInt8] = [0x81, 0xa1, 0x61, 0x61, UInt8(number)]
            _ = session.addToSession(DescriptionMessage(request: request.request, total: 1, shown: 1, rows: rows))
            session.flushSoon()
        } _: { client in
            var pages = client.descriptions(of: "x", limit: 3, every: .milliseconds(100)).makeAsyncIterator()
            for number in 1...3 {
                let page = try await pages.next()
                #expect(page?.rows == [["a": .init(number)]])
            }
        }
    }

    @Test("A subscription that is released before its first answer is ended after it, and not at an older coordinator")
    func released() async throws {
        for isOlder in [true, false] {
            let requests = Watched<[DescribeMessage]>([])
            let sessions = Watched<[Session]>([])
            try await with { request, session in
                requests.change { $0.append(request) }
                sessions.change { $0.append(session) }
                guard request.section == "other" else { return }
                _ = session.addToSession(DescriptionMessage(request: request.request, total: 0, shown: 0, rows: [0x80]))
                session.flushSoon()
            } _: { client in
                let pages = client.descriptions(of: "x")
                let reading = Task {
                    var iterator = pages.makeAsyncIterator()
                    _ = try await iterator.next()
                }
                let session = try await sessions.until { !$0.isEmpty }[0]
                reading.cancel()
                _ = await reading.result
                var first = DescriptionMessage(request: 1, total: 0, shown: 0, rows: [0x80])
                first.update = isOlder ? nil : 1
                _ = session.addToSession(first)
                session.flushSoon()
                if !isOlder {
                    let ending = try await requests.until { $0.count == 2 }[1]
                    #expect(ending.request == 1 && ending.intervalMilliseconds == 0)
                    _ = session.addToSession(DescriptionMessage(request: 1, .ended, reason: ""))
                    session.flushSoon()
                }
                // The session continues.
                #expect(try await client.describe("other").total == 0)
                #expect(requests.value.count == (isOlder ? 2 : 3))
            }
        }
    }

    @Test("A program that does not read gets the newest page, with the number of those that it has missed")
    func newestWins() async throws {
        let sessions = Watched<[Session]>([])
        try await with { request, session in
            sessions.change { $0.append(session) }
            for number in 1...3 {
                var message = DescriptionMessage(
                    request: request.request,
                    total: UInt64(number),
                    shown: 0,
                    rows: [0x80]
                )
                message.update = UInt64(number)
                message.folded = 2
                message.places = number == 1 ? nil : [0x80]
                _ = session.addToSession(message)
            }
            session.flushSoon()
        } _: { client in
            let subscriber = DescriptionSubscriber("x", offset: 0)
            for number in 1...3 {
                var message = DescriptionMessage(request: 1, total: UInt64(number), shown: 0, rows: [0x80])
                message.update = UInt64(number)
                message.folded = 2
                #expect(!subscriber.receive(message))
            }
            guard case .page(let page)? = try await subscriber.next(within: .seconds(60)) else {
                Issue.record("There is no page.")
                return
            }
            #expect(page.total == 3 && page.folded == 8)
            var iterator = client.descriptions(of: "x").makeAsyncIterator()
            var last = 0
            while last < 3 { last = try #require(try await iterator.next()).total }
        }
    }

    @Test("A coordinator that stops sending descriptions is silent")
    func silentSubscription() async throws {
        try await with(timeout: .milliseconds(50)) { _, _ throws(WireError) in
        } _: { client in
            let descriptions = SectionDescriptions(
                client: client,
                request: DescribeMessage(request: 1, section: "x", intervalMilliseconds: 100),
                interval: .milliseconds(100),
                patience: .milliseconds(50)
            )
            var pages = descriptions.makeAsyncIterator()
            let error = await #expect(throws: ControlError.self) { try await pages.next() }
            #expect(error?.code == .silent)
        }
    }

    static let intervals: [(given: Duration, milliseconds: UInt32)] = [
        (.seconds(-1), 100), (.zero, 100), (.milliseconds(250), 250), (.seconds(100_000), 3_600_000),
    ]

    @Test("An interval outside its range becomes the nearest one, for every coordinator", arguments: intervals)
    func interval(given: Duration, milliseconds: UInt32) async throws {
        try await with { _, _ throws(WireError) in
        } _: { client in
            let descriptions = client.descriptions(of: "x", every: given)
            let interval = Duration.milliseconds(Int(milliseconds))
            #expect(descriptions.request.intervalMilliseconds == milliseconds)
            #expect(descriptions.interval == interval)
            // At least a second for the interval, one for a page, and a minute for the answer.
            let patience = max(interval, Duration.seconds(1)) + Duration.seconds(61)
            #expect(descriptions.patience == patience)
        }
    }

    @Test("A socket at which no coordinator listens is unreachable, and a path that cannot be one is invalid")
    func unreachable() async throws {
        let missing = await #expect(throws: ControlError.self) {
            try await withControlClient(connectingTo: "/no/such/socket") { _ in }
        }
        #expect(missing?.code == .unreachable)
        let empty = await #expect(throws: ControlError.self) { try await withControlClient(connectingTo: "") { _ in } }
        #expect(empty?.code == .invalid)
    }
}

/// A coordinator that answers requests as a test says.
private final class ScriptedCoordinator: SessionHandler {
    private let answer: @Sendable (DescribeMessage, Session) throws(WireError) -> Void

    init(_ answer: @escaping @Sendable (DescribeMessage, Session) throws(WireError) -> Void) {
        self.answer = answer
    }

    func sessionOpened(_ session: Session, peer: Handshake.Peer) {}
    func session(_ session: Session, opens channel: UInt32, _ open: Open) {}
    func sessionClosed(_ session: Session, error: SessionError?) {}

    func session(_ session: Session, received kind: MessageKind, body: UnsafeRawBufferPointer) throws(WireError) {
        try answer(try DescribeMessage(decoding: body), session)
    }
}
