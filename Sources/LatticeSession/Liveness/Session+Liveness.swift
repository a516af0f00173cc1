import LatticeConcurrency
package import LatticeTransport
import LatticeWire

/// Timeouts, pings and signs of life.
extension Session {
    /// Sets the timer to the next instant at which the state has something to do. It runs on the event loop.
    func watchTime() {
        if let timer = loopState.value.timer { eventLoop.cancel(timer) }
        loopState.value.timer = loopState.value.state.due.map { due in
            eventLoop.at(due) { [self] in
                switch loopState.value.state.tick(now: .now) {
                case .nothing: break
                case .ping(let number): sendControl(Ping(number: number))
                case .late(let silence): loopState.value.handler?.session(self, isSilentFor: silence)
                case .silent(let silence):
                    if loopState.value.handler?.sessionExcusesSilence(self) != true { abort(.silent(silence)) }
                case .abort(let error): abort(error)
                }
                watchTime()
            }
        }
    }

    /// Sends a sign of life, because this thread is busy with a large value and does not read the other side's ping.
    package func connectionIsHeldUp(_ connection: any Connection) {
        guard loopState.value.state.isOpen else { return }
        output.withLock { $0.addSignOfLife() }
        flush()
    }
}
