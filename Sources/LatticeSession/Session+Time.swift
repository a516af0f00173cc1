import LatticeConcurrency
package import LatticeTransport
import LatticeWire

extension Session {
    /// Looks at the limits that depend on time. The session does so itself when one is due.
    package func tick(now: ContinuousClock.Instant) {
        let isOpen = core.withLock(\.isOpen)
        guard isOpen else {
            guard let handshakeLimit, created.duration(to: now) >= handshakeLimit else { return }
            return abort(.handshakeTimeout(handshakeLimit))
        }
        switch core.withLock({ $0.heartbeat?.tick(now: now) ?? .none }) {
        case .none: break
        case .ping(let number): sendControl(Ping(number: number))
        case .giveUp(let silence): abort(.silent(silence))
        }
    }

    /// Tells the other side that its ping is not read because this thread is at work on a large value.
    package func connectionIsHeldUp(_ connection: any Connection) {
        if core.withLock({ $0.addSignOfLife() }) { flush() }
    }

    /// Sets the timer to the moment at which `tick` has something to do. On the reactor's thread.
    func watchTime() {
        if let timer { connection.eventLoop.cancel(timer) }
        timer = due.map { due in
            connection.eventLoop.at(due) { [self] in
                tick(now: .now)
                watchTime()
            }
        }
    }

    private var due: ContinuousClock.Instant? {
        core.withLock { core in
            guard !core.isClosed else { return nil }
            return core.isOpen ? core.heartbeat?.due : handshakeLimit.map { created + $0 }
        }
    }
}
