import LatticeConcurrency
import LatticeSession

/// Breaks the circle between a client and its opener, which are made together.
final class ClientEvents: Sendable {
    private struct Link { weak var client: Client? }
    private let link = Locked(Link())

    func connect(_ client: Client) { link.withLock { $0.client = client } }
    func opened() { link.withLock(\.client)?.opened() }
    func closed(_ session: Session, _ error: SessionError?) {
        link.withLock(\.client)?.closed(session, error)
    }
}
