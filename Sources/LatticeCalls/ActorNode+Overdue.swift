import LatticeConcurrency
package import LatticeSession
import LatticeTransport

extension ActorNode {
    /// The number of checks within the timeout of a call. The timeout is therefore kept to within an eighth of it.
    private static let checksPerTimeout = 8

    /// Checks regularly, while a session is open, whether a call of an actor that was sent over it has had no answer
    /// for too long. Call it on the event loop.
    ///
    /// A call that is answered with a stream counts as answered when the stream begins.
    ///
    /// - Parameters:
    ///   - session: The session whose calls are checked.
    ///   - timeout: The time that a call may take to be answered.
    ///   - onPassed: Called once, on the event loop, when a call has had no answer for longer than the timeout. The
    ///     checks then stop.
    package func watchCalls(over session: Session, timeout: Duration, onPassed: @escaping @Sendable () -> Void) {
        guard let id = core.withLock({ $0.callSession(over: session)?.id }) else { return }
        check(id, session.eventLoop, timeout, onPassed)
    }

    private func check(
        _ session: SessionID,
        _ eventLoop: any EventLoop,
        _ timeout: Duration,
        _ onPassed: @escaping @Sendable () -> Void
    ) {
        let age = core.withLock { $0.table.isOpen(session) ? $0.table.oldestAge(on: session, at: .now) : nil }
        guard let age else { return }
        guard age < timeout else { return onPassed() }
        eventLoop.after(milliseconds: max((timeout / Self.checksPerTimeout).milliseconds, 1)) { [weak self] in
            self?.check(session, eventLoop, timeout, onPassed)
        }
    }
}
