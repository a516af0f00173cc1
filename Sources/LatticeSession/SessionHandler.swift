package import LatticeWire

/// The owner of a session, which receives its events. All requirements are called on the event loop.
package protocol SessionHandler: AnyObject, Sendable {
    /// Called when the handshake is complete. Messages can be sent and received from now on.
    func sessionOpened(_ session: Session, peer: Handshake.Peer)

    /// Called when the other side opens a channel. The handler attaches an object that serves the channel, or sends a
    /// refusal.
    func session(_ session: Session, opens channel: UInt32, _ open: Open) throws(WireError)

    /// Called when the other side has closed a channel that it had opened, or when a state of the channel cannot be
    /// sent, because it is larger than the other side accepts or cannot be encoded. The object that served the channel
    /// was closed, or its answer to `open` has become a refusal.
    func session(_ session: Session, left channel: UInt32)

    /// Called when the other side sends a ping. The handler calls `answer`, unless the code whose liveness the ping
    /// checks hangs.
    ///
    /// - Parameter answer: Sends the pong, with a description of the problem that keeps this side from its work, if
    ///   there is one. The handler can call it on any thread.
    func session(_ session: Session, isAsked answer: @escaping @Sendable (_ problem: String?) -> Void)

    /// Called when the other side has answered no ping for the given time. The session continues, and the other side
    /// may still answer.
    func session(_ session: Session, isSilentFor silence: Duration)

    /// Called when the other side answers after `session(_:isSilentFor:)` was called.
    func sessionAnswersAgain(_ session: Session)

    /// Called for each answer of the other side to a ping.
    ///
    /// - Parameter problem: The problem that keeps the other side from its work, or `nil` if there is none.
    func session(_ session: Session, hasProblem problem: String?)

    /// Returns whether to keep the session although the other side does not answer, because the cause is known and
    /// temporary. It is called again after each interval of the liveness checks.
    func sessionExcusesSilence(_ session: Session) -> Bool

    /// Called for a message about the session that the session does not handle itself.
    ///
    /// - Parameter body: The message's body, which is valid only during the call.
    /// - Throws: An error that ends the session with a goodbye that names the violation.
    func session(_ session: Session, received kind: MessageKind, body: UnsafeRawBufferPointer) throws(WireError)

    /// Called when messages of channel 0 that waited have room now. A handler that has added messages there, and found
    /// no room, tries again.
    func sessionDrained(_ session: Session)

    /// Called for a message of a channel to which no object is attached.
    ///
    /// Either the message was sent before the other side learned that the channel was closed or refused, or the channel
    /// was never opened. The default implementation treats a channel that was never opened as a violation.
    func session(
        _ session: Session,
        received kind: MessageKind,
        onUnattached channel: UInt32,
        body: UnsafeRawBufferPointer
    ) throws(WireError)

    /// Called last, after all channels were notified.
    ///
    /// - Parameter error: The reason for the end, or `nil` if one of the sides ended the session in an orderly way.
    func sessionClosed(_ session: Session, error: SessionError?)
}

extension SessionHandler {
    package func session(_ session: Session, left channel: UInt32) {}

    package func session(_ session: Session, isAsked answer: @escaping @Sendable (String?) -> Void) { answer(nil) }

    package func session(_ session: Session, isSilentFor silence: Duration) {}

    package func sessionAnswersAgain(_ session: Session) {}

    package func session(_ session: Session, hasProblem problem: String?) {}

    package func sessionExcusesSilence(_ session: Session) -> Bool { false }

    package func sessionDrained(_ session: Session) {}

    package func session(
        _ session: Session,
        received kind: MessageKind,
        onUnattached channel: UInt32,
        body: UnsafeRawBufferPointer
    ) throws(WireError) {
        guard session.wasOpened(channel) else { throw .notOpen(channel, kind) }
    }
}
