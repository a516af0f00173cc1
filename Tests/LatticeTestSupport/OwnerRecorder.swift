package import LatticeSession

/// A session owner that records the events of its sessions.
package final class OwnerRecorder: SessionOwner {
    /// The number of sessions that were opened.
    package let opened = Watched(0)
    /// The number of `drained` notifications.
    package let drains = Watched(0)
    /// The errors of the closed sessions, nil for each session that ended in order.
    package let closed = Watched<[SessionError?]>([])

    package init() {}

    package func opened(_ session: Session, to peer: Handshake.Peer) {
        opened.change { $0 += 1 }
    }

    package func drained() {
        drains.change { $0 += 1 }
    }

    package func closed(_ session: Session, error: SessionError?) {
        closed.change { $0.append(error) }
    }
}
