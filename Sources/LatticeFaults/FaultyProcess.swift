import LatticeConcurrency
import LatticeSession
import LatticeTransport

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A worker that a plan kills and pauses together with its process group.
package final class FaultyProcess: Sendable {
    private let signal: @Sendable (Int32) -> Void
    /// The number of pauses that have not ended. The process continues when the last one has ended.
    private let pauses = Locked(0)

    /// Creates a process.
    ///
    /// - Parameter signal: Sends a signal. It must do nothing after the process has ended, because its number may then
    ///   belong to another process.
    package init(signal: @escaping @Sendable (Int32) -> Void) {
        self.signal = signal
    }

    func kill() {
        signal(SIGKILL)
    }

    /// Pauses the process.
    ///
    /// - Parameters:
    ///   - duration: The duration of the pause.
    ///   - eventLoop: The event loop that measures the time. If it stops before the end of a pause, the process stays
    ///     paused.
    func pause(for duration: Duration, on eventLoop: any EventLoop) {
        pauses.withLock { pauses in
            pauses += 1
            // The signal is sent under the lock, so that the end of another pause does not continue the process.
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
