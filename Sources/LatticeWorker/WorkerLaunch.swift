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

    /// What a worker exits with that the system refuses what it needs: EX_OSERR of `sysexits.h`.
    private static let systemErrorCode: Int32 = 71

    /// Reads the launch from this process and removes it, so that what this process starts is no worker by mistake.
    static func take() -> WorkerLaunch? {
        guard let value = getenv(LaunchVariable.name), let launch = LaunchVariable(String(cString: value)) else {
            return nil
        }
        unsetenv(LaunchVariable.name)
        do throws(TransportError) {
            let socket = try SocketConnection.takeStandardInput()
            return WorkerLaunch(socket: socket, token: launch.token, incarnation: launch.incarnation)
        } catch {
            // A variable that somebody else has set, with no socket beside it, makes no worker. With one it does: such a
            // process must not go on as the application.
            guard error.code != .invalidDescriptor else { return nil }
            fail(error)
        }
    }

    private static func fail(_ error: TransportError) -> Never {
        let sentence =
            "this process was started as a worker and cannot take its socket from standard input: \(error.message)"
            + " Allow it more open files.\n"
        _ = sentence.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        exit(systemErrorCode)
    }
}
