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

    /// Whether one process can limit another here.
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

    /// Limits a program that has just been started, but for what its cgroup does.
    ///
    /// - Returns: Why it is not limited; nil: it is.
    func apply(to process: Int32) -> TransportError? {
        guard openFiles != nil || cpuSeconds != nil else { return nil }
        var limits = lattice_limits(
            open_files: UInt64(clamping: openFiles ?? 0),
            cpu_seconds: UInt64(clamping: cpuSeconds ?? 0)
        )
        let error = lattice_limit(process, &limits)
        return error == 0 ? nil : .system("limit what process \(process) may use", error)
    }
}
