#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The backtraces that Swift's runtime writes to standard error when a worker crashes.
///
/// The coordinator logs a backtrace as one entry. The worker ends after its backtrace is complete, so a backtrace
/// delays the next worker.
public struct WorkerBacktraces: Sendable, Hashable, CustomStringConvertible {
    /// The name of the option, such as "addresses".
    public let description: String
    /// The value of the environment variable `SWIFT_BACKTRACE`.
    let setting: String

    /// No backtrace, only the message of a trap. The next worker starts at once.
    public static let none = WorkerBacktraces(description: "none", setting: "enable=no")
    /// The calls of the crashed thread as addresses, with the files that contain them and their build IDs.
    ///
    /// To find the function and line of an address, subtract the first address of its file and run `llvm-symbolizer
    /// --obj=FILE ADDRESS`. Writing this backtrace takes less than a tenth of a second.
    public static let addresses = WorkerBacktraces(
        description: "addresses",
        setting: "enable=yes,color=no,threads=crashed,registers=none,images=mentioned,symbolicate=off"
    )
    /// The calls of all threads with their functions and lines, and the registers. Writing this backtrace takes seconds
    /// if the program is large and has debug information.
    public static let full = WorkerBacktraces(
        description: "full",
        setting: "enable=yes,color=no,threads=all,registers=crashed,images=mentioned,symbolicate=full"
    )

    static let variable = "SWIFT_BACKTRACE"

    /// Returns the variables of a worker with this setting added, unless the worker's variables or the environment of
    /// this process already contain the variable.
    func added(to environment: [String: String]) -> [String: String] {
        guard environment[Self.variable] == nil, getenv(Self.variable) == nil else { return environment }
        var environment = environment
        environment[Self.variable] = setting
        return environment
    }
}
