import CLatticeSystem

/// What the system keeps a program from using more of.
package struct ProcessLimits: Sendable, Equatable {
    // Each for itself, what the program starts has the same limits:
    /// Descriptors; nil: as many as this process may have.
    package var openFiles: Int?
    /// Seconds; nil: as many as this process may use.
    package var cpuSeconds: Int?
    // The program has these together with all that it starts, in a cgroup:
    /// Bytes; nil: any.
    package var memoryBytes: Int?
    /// Processes and threads; nil: any.
    package var tasks: Int?

    /// Whether a program can be limited here before it runs.
    #if os(Linux)
    package static let areKept = true
    #else
    package static let areKept = false
    #endif

    package init(openFiles: Int? = nil, cpuSeconds: Int? = nil, memoryBytes: Int? = nil, tasks: Int? = nil) {
        self.openFiles = openFiles
        self.cpuSeconds = cpuSeconds
        self.memoryBytes = memoryBytes
        self.tasks = tasks
    }

    /// Whether the memory of a program can be limited here together with that of what it starts.
    package static var isMemoryKept: Bool { ControlGroupPlaces.memory != nil }
    /// Likewise, how many processes and threads these are.
    package static var areTasksKept: Bool { ControlGroupPlaces.tasks != nil }

    /// What a process is limited to itself: all but what its cgroup does.
    var ofProcess: lattice_limits {
        lattice_limits(open_files: UInt64(clamping: openFiles ?? 0), cpu_seconds: UInt64(clamping: cpuSeconds ?? 0))
    }
}
