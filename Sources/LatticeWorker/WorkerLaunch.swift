import LatticeSession
import LatticeTransport

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// What a coordinator hands to the worker that it starts: the socket as standard input, the rest in the environment.
struct WorkerLaunch: Sendable {
    let socket: OwnedDescriptor
    let token: [UInt8]
    let incarnation: UInt64

    /// Reads the launch from this process and removes it, so that what this process starts is no worker by mistake.
    static func take() -> WorkerLaunch? {
        guard let value = getenv(LaunchVariable.name), let launch = LaunchVariable(String(cString: value)) else {
            return nil
        }
        unsetenv(LaunchVariable.name)
        // A variable that somebody else has set, with no socket beside it, makes no worker.
        guard let socket = try? SocketConnection.takeStandardInput() else { return nil }
        return WorkerLaunch(socket: socket, token: launch.token, incarnation: launch.incarnation)
    }
}
