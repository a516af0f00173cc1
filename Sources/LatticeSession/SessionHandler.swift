package import LatticeWire

/// What a session tells its owner. Everything is called on the reactor's thread.
package protocol SessionHandler: AnyObject, Sendable {
    /// The handshake is done; messages may be sent and will come.
    func sessionOpened(_ session: Session, peer: Handshake.Peer)

    /// A message of a channel, or one about the session that the session does not answer itself. `body` is valid only
    /// during the call. Throwing ends the session with a goodbye that names the violation.
    func session(
        _ session: Session,
        received kind: MessageKind,
        on channel: UInt32,
        body: UnsafeRawBufferPointer
    ) throws(WireError)

    /// Data that had to wait went out: channels for which `canPublish` was false may publish their newest state.
    func sessionDrained(_ session: Session)

    /// The last call. nil: the other side or this one ended it in good order.
    func sessionClosed(_ session: Session, error: SessionError?)
}
