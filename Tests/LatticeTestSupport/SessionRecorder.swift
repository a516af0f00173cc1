package import LatticeSession
package import LatticeWire

/// Writes down what a session tells.
package final class SessionRecorder: SessionHandler {
    package struct Message: Sendable, Equatable {
        package let kind: MessageKind
        package let channel: UInt32
        package let body: [UInt8]
    }

    package struct Record: Sendable {
        package var peer: Handshake.Peer?
        package var messages: [Message] = []
        package var drained = 0
        package var closed = 0
        package var error: SessionError?
    }

    package let record = Watched(Record())
    private let keepsBodies: Bool
    private let violation: WireError?

    /// - Parameters:
    ///   - keepsBodies: false where bodies are large and many.
    ///   - violation: What each message is answered with.
    package init(keepsBodies: Bool = true, violation: WireError? = nil) {
        self.keepsBodies = keepsBodies
        self.violation = violation
    }

    package func sessionOpened(_ session: Session, peer: Handshake.Peer) {
        record.change { $0.peer = peer }
    }

    package func session(
        _ session: Session,
        received kind: MessageKind,
        on channel: UInt32,
        body: UnsafeRawBufferPointer
    ) throws(WireError) {
        let message = Message(kind: kind, channel: channel, body: keepsBodies ? [UInt8](body) : [])
        record.change { $0.messages.append(message) }
        if let violation { throw violation }
    }

    package func sessionDrained(_ session: Session) {
        record.change { $0.drained += 1 }
    }

    package func sessionClosed(_ session: Session, error: SessionError?) {
        record.change { record in
            record.closed += 1
            record.error = error
        }
    }
}
