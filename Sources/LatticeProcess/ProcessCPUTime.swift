import CLatticeSystem

/// The CPU time of a process.
package enum ProcessCPUTime {
    /// Returns the CPU time that a process has used on all processors together, without the processes that it started.
    ///
    /// - Returns: The time, or nil if the process has ended or the system does not report it.
    package static func time(of process: Int32) -> Duration? {
        let nanoseconds = lattice_cpu_nanoseconds(process)
        return nanoseconds < 0 ? nil : .nanoseconds(nanoseconds)
    }
}
