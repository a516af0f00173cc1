import LatticeConcurrency
import LatticeSession

/// Breaks the circle between the supervisor and its opener, which are made together.
final class SupervisorEvents: Sendable {
    private struct Link { weak var supervisor: WorkerSupervisor? }
    private let link = Locked(Link())

    func connect(_ supervisor: WorkerSupervisor) { link.withLock { $0.supervisor = supervisor } }
    func opened(_ peer: Handshake.Peer) { link.withLock(\.supervisor)?.opened(peer) }
    func drained() { link.withLock(\.supervisor)?.drained() }
    func closed(_ session: Session, _ error: SessionError?) {
        link.withLock(\.supervisor)?.closed(session, error)
    }
}
