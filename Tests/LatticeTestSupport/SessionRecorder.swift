package import LatticeSession
package import LatticeWire

/// A session handler that records all notifications.
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

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - keepsBodies: Whether bodies are recorded. Pass false if many bodies are large.
    ///   - violation: An error that the handler throws for each message.
    package init(keepsBodies: Bool = true, violation: WireError? = nil) {
        self.keepsBodies = keepsBodies
        self.violation = violation
    }

    package func sessionOpened(_ session: Session, peer: Handshake.Peer) {
        record.change { $0.peer = peer }
    }

    package func session(_ session: Session, opens channel: UInt32, _ open: Open) throws(WireError) {
        try note(.open, channel, open.encoded)
    }

    package func session(
        _ session: Session,
        received kind: MessageKind,
        body: UnsafeRawBufferPointer
    ) throws(WireError) {
        try note(kind, 0, [UInt8](body))
    }

    package func session(
        _ session: Session,
        received kind: MessageKind,
        onUnattached channel: UInt32,
        body: UnsafeRawBufferPointer
    ) throws(WireError) {
        try note(kind, channel, keepsBodies ? [UInt8](body) : [])
    }

    package func session(_ session: Session, left channel: UInt32) {
        record.change { $0.messages.append(Message(kind: .close, channel: channel, body: Close().encoded)) }
    }

    private func note(_ kind: MessageKind, _ channel: UInt32, _ body: [UInt8]) throws(WireError) {
        record.change { $0.messages.append(Message(kind: kind, channel: channel, body: keepsBodies ? body : [])) }
        if let violation { throw violation }
    }

    /// Returns a channel that counts in ``Record/drained`` how often it has room again.
    package func drainedChannel() -> any SessionChannel { DrainedChannel(recorder: self) }

    private final class DrainedChannel: SessionChannel {
        private let recorder: SessionRecorder

        init(recorder: SessionRecorder) {
            self.recorder = recorder
        }

        func receive(_ kind: MessageKind, _ body: UnsafeRawBufferPointer) {}

        func sessionDrained() {
            recorder.record.change { $0.drained += 1 }
        }
    }

    package func sessionClosed(_ session: Session, error: SessionError?) {
        record.change { record in
            record.closed += 1
            record.error = error
        }
    }
}
