import LatticeConcurrency
import LatticeSession
import LatticeTransport

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A worker that is killed and stopped by plan, with its process group.
package final class FaultyProcess: Sendable {
    private let signal: @Sendable (Int32) -> Void
    /// Pauses that have not ended: it goes on when the last one has.
    private let pauses = Locked(0)

    /// - Parameter signal: Sends a signal, unless the process has ended: its number may be another one's then.
    package init(signal: @escaping @Sendable (Int32) -> Void) {
        self.signal = signal
    }

    func kill() {
        signal(SIGKILL)
    }

    /// - Parameter eventLoop: Where the time is kept. If it stops before the end of a pause, the process stands still.
    func pause(for duration: Duration, on eventLoop: any EventLoop) {
        pauses.withLock { pauses in
            pauses += 1
            // Under the lock, so that it is not continued by the end of another pause.
            signal(SIGSTOP)
        }
        eventLoop.execute { [self] in
            eventLoop.after(milliseconds: duration.milliseconds) { [self] in endPause() }
        }
    }

    private func endPause() {
        pauses.withLock { pauses in
            pauses -= 1
            if pauses == 0 { signal(SIGCONT) }
        }
    }
}
