import LatticeSession
import LatticeTransport

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// What a coordinator hands to the worker that it starts: the socket as standard input, the rest in the environment.
struct WorkerLaunch: Sendable {
    let socket: Int32
    let token: [UInt8]
    let incarnation: UInt64

    /// Reads the launch from this process and removes it, so that what this process starts is no worker by mistake.
    static func take() -> WorkerLaunch? {
        guard let value = getenv(LaunchVariable.name), let launch = LaunchVariable(String(cString: value)) else {
            return nil
        }
        unsetenv(LaunchVariable.name)
        // Away from descriptor 0, which everybody may read from.
        let socket = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
        guard socket >= 0 else { return nil }
        let empty = open("/dev/null", O_RDONLY)
        if empty >= 0 {
            dup2(empty, STDIN_FILENO)
            close(empty)
        }
        return WorkerLaunch(socket: socket, token: launch.token, incarnation: launch.incarnation)
    }
}
