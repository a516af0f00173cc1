import LatticeConcurrency
import LatticeTransport

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension Coordinator {
    /// The number of threads that a coordinator needs in addition to one for each worker: those of its event loop,
    /// signals, timers, log and own tasks, and one of Swift's pool.
    private static let neededThreads = 6

    /// Throws an error if this process cannot start all threads that it needs. Swift's runtime waits forever for a
    /// thread that the system refuses, so this check comes before anything depends on one.
    static func checkThreads(workers: Int) throws(CoordinatorError) {
        do throws(SystemThread.NoRoom) {
            try SystemThread.checkRoom(for: neededThreads + workers)
        } catch {
            throw .noThreads(String(cString: strerror(error.errno)), workers: workers)
        }
    }

    /// Returns the directory for the sockets of this user's programs with a common name.
    ///
    /// The directory is `name` in `XDG_RUNTIME_DIR` (on Apple platforms in the user's temporary directory), or else
    /// `/tmp/name-UID`. The variable is ignored if it is a relative path or does not name a directory. The directory
    /// `name` need not exist. A coordinator that listens in it creates it, and refuses to use it if other users could
    /// change it.
    ///
    /// `Client` has the same function, so that a coordinator and its clients agree on the path:
    ///
    /// ```swift
    /// let path = try Coordinator.runtimeDirectory("tally") + "/main"
    /// ```
    ///
    /// - Throws: `CoordinatorError` if the variable names a directory of another user, as it does after `su`.
    public static func runtimeDirectory(_ name: String) throws -> String {
        try Result { try SocketPath.runtimeDirectory(name) }.mapError(CoordinatorError.noPlace).get()
    }
}
