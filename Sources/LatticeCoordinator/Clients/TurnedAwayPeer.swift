import LatticeSession
import LatticeWire

/// Hears nothing of a connection that is not wanted.
final class TurnedAwayPeer: SessionHandler {
    func sessionOpened(_ session: Session, peer: Handshake.Peer) {}

    func session(
        _ session: Session,
        received kind: MessageKind,
        on channel: UInt32,
        body: UnsafeRawBufferPointer
    ) throws(WireError) {}

    func sessionDrained(_ session: Session) {}

    func sessionClosed(_ session: Session, error: SessionError?) {}
}
