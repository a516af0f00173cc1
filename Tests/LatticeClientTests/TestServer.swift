import LatticeCoding
import LatticeCore
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A minimal coordinator. It opens every journal with the empty view state, and completes events on request.
final class TestServer: SessionHandler {
    /// An instance that is never opened, and never refused either.
    static let unanswered = "unanswered"

    let path: String
    let connections = Watched(0)
    /// The numbers of the events that came, in order.
    let events = Watched<[UInt64]>([])
    let closes = Watched(0)
    /// Whether every connection is closed as soon as its handshake is done.
    let dropsAll = Watched(false)
    /// Whether new clients are refused permanently.
    let refusesRoles = Watched(false)
    /// Whether new connections are accepted and never answered, as by a suspended process.
    let isSilent = Watched(false)
    private let unanswered = Watched<[any Connection]>([])
    private let acceptance: Handshake.Acceptance
    private let sessions = Watched<[Session]>([])

    private init(path: String, acceptance: Handshake.Acceptance) {
        self.path = path
        self.acceptance = acceptance
    }

    static func with(
        acceptance: Handshake.Acceptance = Handshakes.acceptance(roles: [.client], token: nil),
        _ body: (TestServer) async throws -> Void
    ) async throws {
        let directory = "/tmp/lattice-client-\(UInt32.random(in: 0...(.max)))"
        mkdir(directory, 0o700)
        defer { rmdir(directory) }
        try await withReactor { reactor in
            let server = TestServer(path: directory + "/s", acceptance: acceptance)
            let listener = try SocketListener(path: SocketPath(server.path), reactor: reactor) { server.accept($0) }
            defer { listener.close() }
            try await body(server)
        }
    }

    private func accept(_ connection: any Connection) {
        if isSilent.value { return unanswered.change { $0.append(connection) } }
        let acceptance = refusesRoles.value ? .init(acceptance.welcome, of: [.worker]) : acceptance
        let session = Session(over: connection, as: .acceptor(acceptance), handler: self)
        sessions.change { $0.append(session) }
        session.start()
    }

    func dropConnection() {
        sessions.value.last?.connection.close()
    }

    /// Ends the session as if a newer session with the same identity had replaced it.
    func replace() {
        sessions.value.last?.abort(.replaced)
    }

    /// Ends as a coordinator does that stops.
    func stop() {
        sessions.value.last?.end(.shuttingDown, reason: "the coordinator stopped")
    }

    var eventLoop: (any EventLoop)? { sessions.value.last?.connection.eventLoop }

    func complete(_ event: UInt64) {
        sessions.value.last?.send { $0.addCompletion(event, revision: 1, outcome: .finished, on: 1) }
    }

    func sessionOpened(_ session: Session, peer: Handshake.Peer) {
        connections.change { $0 += 1 }
        // In the next turn: the welcome leaves before.
        if dropsAll.value { session.connection.eventLoop.execute { session.connection.close() } }
    }

    func session(_ session: Session, opens channel: UInt32, _ open: Open) {
        guard open.feature == JournalFeature.identifier else {
            return session.sendControl(OpenRefused(code: .unknownFeature, reason: "not here"), on: channel)
        }
        if open.instance == Self.unanswered { return }
        let state = encoded(JournalFeature.ViewState())
        session.send { $0.addData(Opened(revision: 1, applied: 0, state: state, record: 1), on: channel) }
    }

    func session(
        _ session: Session,
        received kind: MessageKind,
        onUnattached channel: UInt32,
        body: UnsafeRawBufferPointer
    ) throws(WireError) {
        guard case .event = kind else { throw .unexpected(kind, at: "the server of a test") }
        let number = try EventMessage(decoding: body).event
        events.change { $0.append(number) }
    }

    func session(_ session: Session, received kind: MessageKind, body: UnsafeRawBufferPointer) throws(WireError) {
        throw .unexpected(kind, at: "the server of a test")
    }

    func session(_ session: Session, left channel: UInt32) {
        closes.change { $0 += 1 }
    }

    private func encoded(_ state: JournalFeature.ViewState) -> [UInt8] {
        do {
            return try CBOREncoder().encode(state)
        } catch {
            Issue.record(error)
            return []
        }
    }

    func sessionClosed(_ session: Session, error: SessionError?) {}
}
