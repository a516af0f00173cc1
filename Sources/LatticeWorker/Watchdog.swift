import LatticeTransport

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Ends this process when its coordinator is gone, even if everything else in it hangs.
///
/// A thread of its own waits for the other end of the socket to close. While the coordinator lives it ends its worker
/// itself, with the time that it gives for that. Without it the orderly way is given a moment; then the whole process
/// group goes, so that nothing that the worker started is left behind.
enum Watchdog {
    /// How long the orderly end may take, in milliseconds: the promise is that nothing is left one second after the
    /// coordinator.
    static let grace: Int32 = 500
    /// How often the watchdog looks whether a coordinator that closed the socket still lives, in milliseconds.
    private static let look: Int32 = 20

    /// - Parameter socket: Watched through a descriptor of the watchdog's own, which stays open as long as the process
    ///   lives. No program that this one starts inherits it: the coordinator would take it for a sign of life.
    static func start(watching socket: Int32) throws(TransportError) {
        // Who made the socket, as long as that is who started this process: else nobody is known to see to its end.
        let coordinator = PeerCredentials.of(socket)?.processID ?? 0
        let descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 3)
        guard descriptor >= 0 else {
            throw TransportError(
                code: .system,
                message: "Could not watch the coordinator's socket. Allow this process more open files.",
                errno: errno
            )
        }
        try SystemThread.start(name: "lattice-watch") {
            HangUp.wait(on: descriptor)
            // A process whose parent dies gets another one.
            while getppid() == coordinator { poll(nil, 0, look) }
            poll(nil, 0, grace)
            // A group of its own: the coordinator starts workers so. Else only this process is ours to end.
            if getpgrp() == getpid() { kill(0, SIGKILL) }
            _exit(1)
        }
    }
}
