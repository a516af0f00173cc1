package import LatticeWire

/// What a session tells its owner. Everything is called on the event loop.
package protocol SessionHandler: AnyObject, Sendable {
    /// The handshake is done; messages may be sent and will come.
    func sessionOpened(_ session: Session, peer: Handshake.Peer)

    /// The other side opens a channel: what serves it is to be attached to the session, or a refusal sent.
    func session(_ session: Session, opens channel: UInt32, _ open: Open) throws(WireError)

    /// The other side left a channel that it had opened, or takes no state as large as that has: what served it was
    /// closed, or its answer to `open` became a refusal.
    func session(_ session: Session, left channel: UInt32)

    /// The other side asks whether this one is there: calls `answer`, at once unless what it is asked for hangs. Any
    /// thread may call it, with what keeps this side from its work, if something does.
    func session(_ session: Session, isAsked answer: @escaping @Sendable (_ problem: String?) -> Void)

    /// The other side has not answered for so long; it is not given up yet, and may answer again.
    func session(_ session: Session, isSilentFor silence: Duration)

    /// It has answered after that.
    func sessionAnswersAgain(_ session: Session)

    /// What keeps the other side from its work, as it has said with an answer; nil: nothing. Called for each answer.
    func session(_ session: Session, hasProblem problem: String?)

    /// Whether the other side is not to be given up, although it does not answer: it is known why, and that this ends.
    /// Asked again from time to time.
    func sessionExcusesSilence(_ session: Session) -> Bool

    /// A message about the session that the session does not answer itself. `body` is valid only during the call.
    /// Throwing ends the session with a goodbye that names the violation.
    func session(_ session: Session, received kind: MessageKind, body: UnsafeRawBufferPointer) throws(WireError)

    /// A message of a channel to which nothing is attached: it was on its way when the channel was left or refused, or
    /// the channel was never opened, which by default is a violation.
    func session(
        _ session: Session,
        received kind: MessageKind,
        onUnattached channel: UInt32,
        body: UnsafeRawBufferPointer
    ) throws(WireError)

    /// The last call, after each channel was told. nil: the other side or this one ended it in good order.
    func sessionClosed(_ session: Session, error: SessionError?)
}

extension SessionHandler {
    package func session(_ session: Session, left channel: UInt32) {}

    package func session(_ session: Session, isAsked answer: @escaping @Sendable (String?) -> Void) { answer(nil) }

    package func session(_ session: Session, isSilentFor silence: Duration) {}

    package func sessionAnswersAgain(_ session: Session) {}

    package func session(_ session: Session, hasProblem problem: String?) {}

    package func sessionExcusesSilence(_ session: Session) -> Bool { false }

    package func session(
        _ session: Session,
        received kind: MessageKind,
        onUnattached channel: UInt32,
        body: UnsafeRawBufferPointer
    ) throws(WireError) {
        guard session.wasOpened(channel) else { throw .notOpen(channel, kind) }
    }
}
