package import LatticeCore
package import LatticeWire

/// A channel as the opening end of a session sees it, whatever the types of its actions and states.
package protocol RoutedChannel: AnyObject, Sendable {
    /// Its number on the wire.
    var number: UInt32 { get }

    /// A session is there: open the channel on it. `isContinuation`: the other side is the one that had it before.
    func open(on session: Session, isContinuation: Bool)

    /// A message of this channel came. On the reactor's thread; `body` is valid only during the call.
    func receive(_ kind: MessageKind, _ body: UnsafeRawBufferPointer) throws(WireError)

    /// The session ended. With an interruption, what ran on the other side is known to be gone.
    func detach(interruption: Interruption?)

    /// Nobody will answer any more.
    func close(_ rejection: EventRejection, interruption: Interruption)

    /// Nobody here wants it any more: the other side is told to close it, what it has not ended is cancelled.
    func leave()

    /// Takes events again after `close`.
    func revive()

    /// What runs the feature changed its status.
    func report(_ host: HostStatus)
}
