import CLatticeSystem

/// The limits that the system enforces on a program.
package struct ProcessLimits: Sendable, Equatable {
    // These limits apply to each process separately, including those that the program starts.
    /// The maximum number of open descriptors; nil for the limit of this process.
    package var openFiles: Int?
    /// The maximum CPU time in seconds; nil for the limit of this process.
    package var cpuSeconds: Int?
    // These limits apply to the program together with all processes that it starts, in a cgroup.
    /// The maximum memory in bytes; nil for no limit.
    package var memoryBytes: Int?
    /// The maximum number of processes and threads; nil for no limit.
    package var tasks: Int?

    /// A Boolean value that indicates whether a program can be limited on this system before it runs.
    #if os(Linux)
    package static let areKept = true
    #else
    package static let areKept = false
    #endif

    /// Creates limits.
    package init(openFiles: Int? = nil, cpuSeconds: Int? = nil, memoryBytes: Int? = nil, tasks: Int? = nil) {
        self.openFiles = openFiles
        self.cpuSeconds = cpuSeconds
        self.memoryBytes = memoryBytes
        self.tasks = tasks
    }

    /// A Boolean value that indicates whether the memory of a program can be limited here, together with that of the
    /// processes that it starts.
    package static var isMemoryKept: Bool { ControlGroupPlaces.memory != nil }
    /// A Boolean value that indicates whether the number of its processes and threads can be limited here in the same
    /// way.
    package static var areTasksKept: Bool { ControlGroupPlaces.tasks != nil }

    /// The limits of a process itself, without those that its cgroup enforces.
    var ofProcess: lattice_limits {
        lattice_limits(open_files: UInt64(clamping: openFiles ?? 0), cpu_seconds: UInt64(clamping: cpuSeconds ?? 0))
    }
}
