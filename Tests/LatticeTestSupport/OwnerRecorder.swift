package import LatticeSession

/// Writes down what the owner of client channels is told of their sessions.
package final class OwnerRecorder: SessionOwner {
    /// How many sessions were opened.
    package let opened = Watched(0)
    package let drains = Watched(0)
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
