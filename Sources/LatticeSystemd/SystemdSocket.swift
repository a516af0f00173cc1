#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A socket that systemd has opened for this service, as its `.socket` unit says.
///
/// ```swift
/// let socket = try SystemdSocket.takeFromEnvironment().first
/// var configuration = CoordinatorConfiguration()
/// configuration.listeningSocket = socket?.descriptor
/// try await withCoordinator(
///     hosting: Counter.self,
///     listeningAt: socket == nil ? path : nil,
///     configuration: configuration,
///     signals: []
/// ) { coordinator in
///     try await SystemdService().run { await coordinator.unresponsiveWorkers() }
/// }
/// ```
///
/// systemd listens before the program starts, and while it starts again. Clients that connect meanwhile wait.
public struct SystemdSocket: Sendable, Hashable {
    /// The first descriptor that systemd passes.
    static let firstDescriptor: Int32 = 3
    /// The maximum number of sockets, as of systemd's own library.
    static let maximumSockets = 1_024

    /// The descriptor. It is closed in programs that this process starts.
    public let descriptor: Int32
    /// The `FileDescriptorName=` of the unit, which by default is the name of the unit, such as "my-app.socket". It is
    /// "unknown" if systemd does not say it.
    public let name: String

    /// Returns the sockets that systemd passes to this process, in the order of the unit. Removes the variables that
    /// describe them, so that neither a second call nor another process sees them.
    ///
    /// Call it once, in `main`, before other threads read the environment, and after `Worker.launchedBySupervisor`. The
    /// array is empty if the process was not started by a `.socket` unit, or if the sockets are for another process.
    ///
    /// - Throws: ``SystemdError`` with the code `invalidVariable` if a variable has another form than systemd gives it,
    ///   or if a descriptor is not open. The variables are removed nevertheless.
    public static func takeFromEnvironment() throws(SystemdError) -> [SystemdSocket] {
        var variables: [String: String] = [:]
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID"] {
            if let value = getenv(name) { variables[name] = String(cString: value) }
            unsetenv(name)
        }
        let sockets = try read(variables, process: getpid())
        for socket in sockets {
            guard fcntl(socket.descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
                throw .invalid("LISTEN_FDS", "\(sockets.count)", "the number of open descriptors from 3 on")
            }
        }
        return sockets
    }

    /// Reads the sockets from the variables of a process.
    ///
    /// - Parameters:
    ///   - variables: The variables of the environment.
    ///   - process: The ID of this process.
    static func read(_ variables: [String: String], process: Int32) throws(SystemdError) -> [SystemdSocket] {
        guard let count = variables["LISTEN_FDS"], let owner = variables["LISTEN_PID"] else { return [] }
        guard let owner = Int32(owner), owner > 0 else {
            throw .invalid("LISTEN_PID", owner, "the number of a process")
        }
        // A program that systemd has not started itself inherits the variables of its parent.
        guard owner == process else { return [] }
        guard let number = Int(count), (0...maximumSockets).contains(number) else {
            throw .invalid("LISTEN_FDS", count, "a number from 0 to \(maximumSockets)")
        }
        let names = variables["LISTEN_FDNAMES"]?.split(separator: ":", omittingEmptySubsequences: false)
        if let names, names.count != number, number > 0 {
            throw .invalid("LISTEN_FDNAMES", names.joined(separator: ":"), "\(number) names, divided by colons")
        }
        return (0..<number).map { index in
            SystemdSocket(
                descriptor: firstDescriptor + Int32(index),
                name: names.map { String($0[index]) } ?? "unknown"
            )
        }
    }
}
