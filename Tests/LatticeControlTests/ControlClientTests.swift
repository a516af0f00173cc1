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
