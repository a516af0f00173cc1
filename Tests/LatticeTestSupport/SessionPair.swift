package import LatticeSession
import LatticeTransport
package import LatticeWire

/// An initiator and an acceptor over one link, and recorders of their sessions.
package struct SessionPair {
    package let initiator: Session
    package let acceptor: Session
    package let initiated: SessionRecorder
    package let accepted: SessionRecorder

    /// Runs a test with both ends. If `isOpen` is true, `body` runs after the handshake.
    package static func with(
        _ link: SessionLink,
        hello: Hello = Handshakes.hello(),
        acceptance: Handshake.Acceptance = Handshakes.acceptance(),
        liveness: Liveness? = nil,
        limits: WriteQueueLimits = WriteQueueLimits(),
        initiated: SessionRecorder = SessionRecorder(),
        accepted: SessionRecorder = SessionRecorder(),
        isOpen: Bool = true,
        _ body: (SessionPair) async throws -> Void
    ) async throws {
        try await link.withEnds { one, other in
            let pair = SessionPair(
                initiator: Session(over: one, as: .initiator(hello), handshakeTimeout: nil, handler: initiated),
                acceptor: Session(
                    over: other,
                    as: .acceptor(acceptance),
                    liveness: liveness,
                    handshakeTimeout: nil,
                    limits: limits,
                    handler: accepted
                ),
                initiated: initiated,
                accepted: accepted
            )
            pair.acceptor.start()
            pair.initiator.start()
            if isOpen {
                try await initiated.record.until { $0.peer != nil }
                try await accepted.record.until { $0.peer != nil }
            }
            try await body(pair)
        }
    }
}
