import LatticeTransport

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Ends this process when its coordinator is gone, even if everything else in it hangs.
///
/// A thread of its own waits for the other end of the socket to close. The orderly way is given a moment; then the
/// whole process group goes, so that nothing that the worker started is left behind.
enum Watchdog {
    /// How long the orderly end may take, in milliseconds: the promise is that nothing is left one second after the
    /// coordinator.
    static let grace: Int32 = 500

    /// - Parameter descriptor: The socket; it has to stay open as long as the process lives.
    static func start(watching descriptor: Int32) throws(TransportError) {
        try SystemThread.start(name: "lattice-watch") {
            HangUp.wait(on: descriptor)
            poll(nil, 0, grace)
            // A group of its own: the coordinator starts workers so. Else only this process is ours to end.
            if getpgrp() == getpid() { kill(0, SIGKILL) }
            _exit(1)
        }
    }
}
