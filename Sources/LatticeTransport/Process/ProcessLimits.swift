import CLatticeSystem

/// What the system keeps a program from using more of, and, each for itself, what that starts.
package struct ProcessLimits: Sendable, Equatable {
    /// Descriptors; nil: as many as this process may have.
    package var openFiles: Int?
    /// Seconds; nil: as many as this process may use.
    package var cpuSeconds: Int?

    /// Whether one process can limit another here.
    #if os(Linux)
    package static let areKept = true
    #else
    package static let areKept = false
    #endif

    package init(openFiles: Int? = nil, cpuSeconds: Int? = nil) {
        self.openFiles = openFiles
        self.cpuSeconds = cpuSeconds
    }

    /// Limits a program that has just been started.
    ///
    /// - Returns: Why it is not limited; nil: it is.
    func apply(to process: Int32) -> TransportError? {
        guard self != ProcessLimits() else { return nil }
        var limits = lattice_limits(
            open_files: UInt64(clamping: openFiles ?? 0),
            cpu_seconds: UInt64(clamping: cpuSeconds ?? 0)
        )
        let error = lattice_limit(process, &limits)
        return error == 0 ? nil : .system("limit what process \(process) may use", error)
    }
}
