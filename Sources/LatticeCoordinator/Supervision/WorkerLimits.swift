import LatticeCore
import LatticeSession
import LatticeTransport

/// What a worker may use, in each of its lives.
///
/// A worker that passes the limit of its memory, its CPU time, a turn or a call is ended, with its process group. What
/// it did ends `interrupted` by `Interruption.Cause.limit`, which names the limit, and the next worker goes on from the
/// last acknowledged state. An event that passes a limit in two lives goes to quarantine, as one that crashes its
/// worker; a call never does.
///
/// ```swift
/// var thumbnails = WorkerGroup("thumbnails", of: Thumbnails.self)
/// thumbnails.limits = WorkerLimits(memoryBytes: 512 << 20, openFiles: 256)
/// ```
///
/// Programs that the worker starts have the same limits of files and CPU time, each for itself. ``totalMemoryBytes``
/// and ``tasks`` are for all of them together, and are kept by a cgroup (cgroups(7)), which the coordinator makes for
/// the worker where it may: with controllers of version 1 in its own cgroup, with those of version 2 in the one above,
/// if that was handed over to it. A service of systemd has that with `Delegate=memory pids` and
/// `DelegateSubgroup=coordinator`. Elsewhere the two are refused.
///
/// There is no limit of addresses (`RLIMIT_AS`) behind that of memory: the allocator reserves 64 MiB of them for each
/// thread, runtimes and sanitizers far more, and a program that gets none crashes at a place that tells nothing.
public struct WorkerLimits: Sendable, Equatable {
    /// Bytes that the worker's own process may have, in memory or swapped out, without files that it has mapped; nil:
    /// any. ``minimumMemoryBytes`` at least.
    ///
    /// It is looked at every 100 milliseconds: in between a worker can have more, and choose less than the machine has
    /// by what it can fill in that time. macOS and Linux tell it; elsewhere the setting is refused.
    public var memoryBytes: Int?
    /// Descriptors that the worker may have open, of which it uses about ten itself; nil: as many as the coordinator.
    /// ``minimumOpenFiles`` at least; more than the system allows the coordinator to ask for is cut down to that.
    ///
    /// Passing it ends nothing by itself: what wants one more descriptor gets the error `EMFILE`, and the effect fails
    /// that throws it. Libraries that cannot go on without one may end the worker. For Linux; elsewhere the setting is
    /// refused.
    public var openFiles: Int?
    /// Time that the worker may compute, on all of its processors together, in one life; nil: any. Whole seconds, from
    /// one second to 366 days.
    ///
    /// The system ends it with SIGXCPU, and one that handles that with SIGKILL a second later. For Linux; elsewhere the
    /// setting is refused.
    public var cpuTime: Duration?
    /// How long one turn may take, in which an interactor handles an action and what that emits at once; nil: any, and
    /// only ``CoordinatorConfiguration/heartbeatTimeout`` ends a worker that does not come out of one. At first
    /// ``defaultTurn``; ``minimumTurn`` at least.
    ///
    /// A worker in a longer one is ended half a second later at most, and whatever its event is, that is to blame for
    /// it: in the second life that it ends so it goes to quarantine. Before, ``HostStatus`` says `unresponsive`.
    /// For Linux and macOS; elsewhere `heartbeatTimeout` ends it.
    public var turn: Duration? = WorkerLimits.defaultTurn
    /// How long a call of an actor, or a question to a feature, may be without an answer; nil: any time. ``minimumCall``
    /// at least.
    ///
    /// A worker that has had such a call for longer is ended, an eighth of the limit later at most. The call ends as
    /// every call of a worker that ends, and the cause names the limit. The time begins when the coordinator sends the
    /// call: the time in which it waits for its actor counts too. A call that is answered with a stream has its answer
    /// when the stream begins. No event is to blame for such an end.
    ///
    /// Without it a method that never ends keeps its actor until the worker ends for another reason.
    public var call: Duration?
    /// Bytes that the worker and all that it has started may have together, with what they have written to files and
    /// the system has not written back yet; nil: any. ``minimumMemoryBytes`` at least.
    ///
    /// Who takes more is ended at once, and the cause names memory as with ``memoryBytes``. With version 2 of cgroups
    /// all end; with version 1 the system ends one of them, and the worker goes on where that is another program. What
    /// is swapped out counts; where the system does not count it the limit is refused.
    public var totalMemoryBytes: Int?
    /// Processes and threads that the worker and all that it has started may be together, of which it uses about ten
    /// itself; nil: any. ``minimumTasks`` at least.
    ///
    /// Passing it ends nothing by itself: what starts one more gets the error `EAGAIN`. Effects get by with the threads
    /// that there are.
    public var tasks: Int?

    /// How long a turn may take where nothing else is said: 10 seconds.
    public static var defaultTurn: Duration { .seconds(10) }
    /// No shorter limit of turns is taken: 100 milliseconds.
    public static var minimumTurn: Duration { .milliseconds(100) }
    /// No shorter limit of calls is taken: 100 milliseconds.
    public static var minimumCall: Duration { .milliseconds(100) }
    /// Less memory than this no worker gets by with: 1 MiB.
    public static var minimumMemoryBytes: Int { 1 << 20 }
    /// With fewer descriptors than this no worker starts reliably: 16.
    public static var minimumOpenFiles: Int { 16 }
    /// With fewer threads than this no worker starts reliably: 16.
    public static var minimumTasks: Int { 16 }

    /// - Parameters:
    ///   - memoryBytes: Bytes of memory; nil: any.
    ///   - openFiles: Open descriptors; nil: as many as the coordinator.
    ///   - cpuTime: Whole seconds of computing; nil: any.
    ///   - turn: How long one turn may take; nil: any time.
    ///   - totalMemoryBytes: Bytes of memory, with what it starts; nil: any.
    ///   - tasks: Processes and threads, with what it starts; nil: any.
    ///   - call: How long a call of an actor may be without an answer; nil: any time.
    public init(
        memoryBytes: Int? = nil,
        openFiles: Int? = nil,
        cpuTime: Duration? = nil,
        turn: Duration? = WorkerLimits.defaultTurn,
        totalMemoryBytes: Int? = nil,
        tasks: Int? = nil,
        call: Duration? = nil
    ) {
        self.memoryBytes = memoryBytes
        self.openFiles = openFiles
        self.cpuTime = cpuTime
        self.turn = turn
        self.totalMemoryBytes = totalMemoryBytes
        self.tasks = tasks
        self.call = call
    }

    /// - Parameters:
    ///   - isMemoryKnown: Whether the system tells how much memory a process has.
    ///   - areKept: Whether one process can limit another.
    ///   - isTotalKept: Whether the memory of several can be limited together.
    ///   - areTasksKept: Whether their number can be.
    func check(
        isMemoryKnown: @autoclosure () -> Bool = ProcessMemory.isKnown,
        areKept: Bool = ProcessLimits.areKept,
        isTotalKept: @autoclosure () -> Bool = ProcessLimits.isMemoryKept,
        areTasksKept: @autoclosure () -> Bool = ProcessLimits.areTasksKept
    ) throws(ConfigurationError) {
        try Self.check("limits.memoryBytes", memoryBytes, from: Self.minimumMemoryBytes)
        try Self.check("limits.openFiles", openFiles, from: Self.minimumOpenFiles)
        try Self.check("limits.totalMemoryBytes", totalMemoryBytes, from: Self.minimumMemoryBytes)
        try Self.check("limits.tasks", tasks, from: Self.minimumTasks)
        if let cpuTime {
            try Settings.check("limits.cpuTime", cpuTime, from: .seconds(1))
            guard cpuTime == .seconds(cpuTime.components.seconds) else {
                throw ConfigurationError(message: "limits.cpuTime is \(cpuTime); give it whole seconds")
            }
        }
        if let turn { try Settings.check("limits.turn", turn, from: Self.minimumTurn) }
        if let call { try Settings.check("limits.call", call, from: Self.minimumCall) }
        guard memoryBytes == nil || isMemoryKnown() else {
            throw ConfigurationError(
                message: "limits.memoryBytes cannot be kept, as the system does not tell how much memory a process has;"
                    + " leave it out"
            )
        }
        for (name, isSet) in [("openFiles", openFiles != nil), ("cpuTime", cpuTime != nil)] where isSet && !areKept {
            throw ConfigurationError(
                message:
                    "limits.\(name) cannot be kept, as the system does not let one process limit another; leave it out"
            )
        }
        if totalMemoryBytes != nil, !isTotalKept() { throw Self.noGroup("totalMemoryBytes", "memory") }
        if tasks != nil, !areTasksKept() { throw Self.noGroup("tasks", "pids") }
    }

    private static func noGroup(_ name: String, _ controller: String) -> ConfigurationError {
        ConfigurationError(
            message:
                "limits.\(name) cannot be kept, as this process can make no cgroup with the controller \(controller);"
                + " run it where it may, such as in a service of systemd with Delegate=\(controller) and"
                + " DelegateSubgroup=coordinator, or leave it out"
        )
    }

    private static func check(_ name: String, _ number: Int?, from least: Int) throws(ConfigurationError) {
        guard let number, number < least else { return }
        throw ConfigurationError(message: "\(name) is \(number); give it \(least) or more, or leave it out")
    }
}
