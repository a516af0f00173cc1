import LatticeCore
import LatticeProcess
import LatticeSession

/// The resources that a worker may use in each of its incarnations.
///
/// A worker that exceeds the limit of its memory, its CPU time, a turn or a call is ended, together with its process
/// group. Its running work ends `interrupted` with `Interruption.Cause.limit`, which names the limit. The next worker
/// continues from the last acknowledged state. An event that exceeds the limit of a turn in two incarnations is
/// quarantined, like an event that crashes its worker. For memory and CPU time that holds if the event was the only one
/// on its way. A call is never quarantined.
///
/// ```swift
/// var thumbnails = WorkerGroup("thumbnails", of: Thumbnails.self)
/// thumbnails.limits = WorkerLimits(memoryBytes: 512 << 20, openFiles: 256)
/// ```
///
/// Programs that the worker starts have the same limits of files and CPU time, each of them separately.
///
/// ``totalMemoryBytes`` and ``tasks`` are limits for the worker and its programs together. A cgroup (cgroups(7))
/// enforces them. The coordinator creates it for the worker where it has the permission: with version 1 in its own
/// cgroup, and with version 2 in the parent cgroup if that was delegated to it. A systemd service delegates it with
/// `Delegate=memory pids` and `DelegateSubgroup=coordinator`. Elsewhere the two settings are refused.
///
/// The limit of memory is not backed by a limit of addresses (`RLIMIT_AS`). The allocator reserves 64 MiB of addresses
/// for each thread, and runtimes and sanitizers reserve far more. A program that gets no addresses crashes at a place
/// that does not show the cause.
public struct WorkerLimits: Sendable, Equatable {
    /// The maximum number of bytes of the worker's own process, in memory or swapped out, without the files that it has
    /// mapped. If nil, there is no limit. The value must be at least ``minimumMemoryBytes``.
    ///
    /// The memory is measured every 100 milliseconds, and between two measurements a worker can use more. Therefore
    /// choose a value that is lower than the memory of the machine by the amount that the worker can fill in that time.
    /// macOS and Linux report the memory of a process. Elsewhere the setting is refused.
    public var memoryBytes: Int?
    /// The maximum number of descriptors that the worker may have open. If nil, the limit of the coordinator applies.
    /// The worker uses about ten descriptors itself. The value must be at least ``minimumOpenFiles``. A value above
    /// what the system allows the coordinator is reduced to that.
    ///
    /// Exceeding the limit does not end the worker. An operation that needs one more descriptor fails with `EMFILE`,
    /// and an effect that throws this error fails. Libraries that cannot continue without a descriptor may end the
    /// worker. The setting is for Linux. Elsewhere it is refused.
    public var openFiles: Int?
    /// The maximum CPU time of the worker in one incarnation, on all processors together. If nil, there is no limit.
    /// The value is a number of whole seconds, from one second to 366 days.
    ///
    /// The system ends the worker with SIGXCPU. A worker that handles this signal is ended with SIGKILL a second later.
    /// The setting is for Linux. Elsewhere it is refused.
    public var cpuTime: Duration?
    /// The maximum time of one turn, in which an interactor handles an action and the actions that it emits
    /// synchronously. The default is ``defaultTurnTimeout``, and the value must be at least ``minimumTurnTimeout``. If
    /// nil, there is no limit, and only ``CoordinatorConfiguration/heartbeatTimeout`` ends a worker that stays in a
    /// turn.
    ///
    /// A worker in a longer turn is ended at most half a second later. The event of that turn is responsible. When it
    /// has ended two incarnations in this way, it is quarantined. Before the worker is ended, `HostStatus` is
    /// `unresponsive`. The setting is for Linux and macOS. Elsewhere `heartbeatTimeout` ends such a worker.
    public var turnTimeout: Duration? = WorkerLimits.defaultTurnTimeout
    /// The maximum time without an answer for a call of an actor or a question to a feature. If nil, there is no limit,
    /// and a method that never ends keeps its actor until the worker ends for another reason. The value must be at
    /// least ``minimumCallTimeout``.
    ///
    /// A worker with a call that exceeds this time is ended. This happens after at most another eighth of the time. The
    /// call ends like every call of a worker that ends, and the cause names the limit. No event is responsible for such
    /// an end.
    ///
    /// The time begins when the coordinator sends the call, so it includes the time in which the call waits for its
    /// actor. A call that is answered with a stream has its answer when the stream begins.
    public var callTimeout: Duration?
    /// The maximum number of bytes of the worker and everything that it has started together. This includes data that
    /// they have written to files and the system has not written to disk yet. If nil, there is no limit. The value must
    /// be at least ``minimumMemoryBytes``.
    ///
    /// When the limit is exceeded, the system ends processes at once, and the cause names memory as with
    /// ``memoryBytes``. With version 2 of cgroups all processes are ended. With version 1 the system ends one of them,
    /// and the worker continues if that is another program. Swapped-out memory counts. Where the system does not count
    /// it, the setting is refused.
    public var totalMemoryBytes: Int?
    /// The maximum number of processes and threads of the worker and everything that it has started together. If nil,
    /// there is no limit. The worker uses about ten threads itself. The value must be at least ``minimumTasks``.
    ///
    /// Exceeding the limit does not end the worker. Starting one more process or thread fails with `EAGAIN`. Effects
    /// run on the threads that exist.
    public var tasks: Int?

    /// The default value of ``turnTimeout``: 10 seconds.
    public static var defaultTurnTimeout: Duration { .seconds(10) }
    /// The minimum value of ``turnTimeout``: 100 milliseconds.
    public static var minimumTurnTimeout: Duration { .milliseconds(100) }
    /// The minimum value of ``callTimeout``: 100 milliseconds.
    public static var minimumCallTimeout: Duration { .milliseconds(100) }
    /// The minimum value of ``memoryBytes`` and ``totalMemoryBytes``: 1 MiB. No worker can run with less.
    public static var minimumMemoryBytes: Int { 1 << 20 }
    /// The minimum value of ``openFiles``: 16. With fewer descriptors no worker starts reliably.
    public static var minimumOpenFiles: Int { 16 }
    /// The minimum value of ``tasks``: 16. With fewer threads no worker starts reliably.
    public static var minimumTasks: Int { 16 }

    /// Creates limits. A limit that you leave out has its default.
    ///
    /// - Parameters:
    ///   - memoryBytes: The maximum memory of the worker in bytes, or nil for no limit.
    ///   - openFiles: The maximum number of open descriptors, or nil for the limit of the coordinator.
    ///   - cpuTime: The maximum CPU time in whole seconds, or nil for no limit.
    ///   - turnTimeout: The maximum time of one turn, or nil for no limit.
    ///   - totalMemoryBytes: The maximum memory in bytes of the worker and what it starts, or nil for no limit.
    ///   - tasks: The maximum number of processes and threads of the worker and what it starts, or nil for no limit.
    ///   - callTimeout: The maximum time without an answer to a call, or nil for no limit.
    public init(
        memoryBytes: Int? = nil,
        openFiles: Int? = nil,
        cpuTime: Duration? = nil,
        turnTimeout: Duration? = WorkerLimits.defaultTurnTimeout,
        totalMemoryBytes: Int? = nil,
        tasks: Int? = nil,
        callTimeout: Duration? = nil
    ) {
        self.memoryBytes = memoryBytes
        self.openFiles = openFiles
        self.cpuTime = cpuTime
        self.turnTimeout = turnTimeout
        self.totalMemoryBytes = totalMemoryBytes
        self.tasks = tasks
        self.callTimeout = callTimeout
    }

    /// Checks that the values are in their ranges and that the system can enforce them.
    ///
    /// - Parameters:
    ///   - isMemoryKnown: Whether the system reports how much memory a process has.
    ///   - areKept: Whether one process can limit another.
    ///   - isTotalKept: Whether the memory of several processes can be limited together.
    ///   - areTasksKept: Whether the number of several processes can be limited together.
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
        if let turnTimeout { try Settings.check("limits.turnTimeout", turnTimeout, from: Self.minimumTurnTimeout) }
        if let callTimeout { try Settings.check("limits.callTimeout", callTimeout, from: Self.minimumCallTimeout) }
        guard memoryBytes == nil || isMemoryKnown() else {
            throw ConfigurationError(
                message: "limits.memoryBytes cannot be enforced, because the system does not report how much memory a"
                    + " process has; leave it out"
            )
        }
        for (name, isSet) in [("openFiles", openFiles != nil), ("cpuTime", cpuTime != nil)] where isSet && !areKept {
            throw ConfigurationError(
                message:
                    "limits.\(name) cannot be enforced, because the system does not let one process limit another;"
                    + " leave it out"
            )
        }
        if totalMemoryBytes != nil, !isTotalKept() { throw Self.noGroup("totalMemoryBytes", "memory") }
        if tasks != nil, !areTasksKept() { throw Self.noGroup("tasks", "pids") }
    }

    private static func noGroup(_ name: String, _ controller: String) -> ConfigurationError {
        ConfigurationError(
            message:
                "limits.\(name) cannot be enforced, because this process cannot create a cgroup with the controller"
                + " \(controller); run it where it can, such as in a systemd service with Delegate=\(controller) and"
                + " DelegateSubgroup=coordinator, or leave it out"
        )
    }

    private static func check(_ name: String, _ number: Int?, from minimum: Int) throws(ConfigurationError) {
        guard let number, number < minimum else { return }
        throw ConfigurationError(message: "\(name) is \(number); give it \(minimum) or more, or leave it out")
    }
}
