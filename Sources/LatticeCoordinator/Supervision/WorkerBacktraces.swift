#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// What Swift's runtime writes to standard error when a worker crashes.
///
/// The coordinator logs it as one entry. It is written before the worker is gone, so it delays the next worker.
public struct WorkerBacktraces: Sendable, Hashable, CustomStringConvertible {
    public let description: String
    /// The value of the variable `SWIFT_BACKTRACE`.
    let setting: String

    /// Nothing but the message of a trap: the next worker starts at once.
    public static let none = WorkerBacktraces(description: "none", setting: "enable=no")
    /// The calls of the thread that crashed, as addresses, and the files that these belong to with their build IDs:
    /// `llvm-symbolizer --obj=FILE ADDRESS`, with the file's first address subtracted, has the function and the line.
    /// This takes less than a tenth of a second.
    public static let addresses = WorkerBacktraces(
        description: "addresses",
        setting: "enable=yes,color=no,threads=crashed,registers=none,images=mentioned,symbolicate=off"
    )
    /// The calls of all threads with their functions and lines, and the registers. This takes seconds where the program
    /// is large and has debug information.
    public static let full = WorkerBacktraces(
        description: "full",
        setting: "enable=yes,color=no,threads=all,registers=crashed,images=mentioned,symbolicate=full"
    )

    static let variable = "SWIFT_BACKTRACE"

    /// The variables of a worker, with this setting unless one of them, or this process's own, says something else.
    func added(to environment: [String: String]) -> [String: String] {
        guard environment[Self.variable] == nil, getenv(Self.variable) == nil else { return environment }
        var environment = environment
        environment[Self.variable] = setting
        return environment
    }
}
