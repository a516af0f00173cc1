import CLatticeSystem

/// The deficiencies of the environment in which this process runs.
package enum ProcessSurroundings {
    /// Describes the processes that programs may leave behind in this environment, and the remedy, with one sentence
    /// for each problem.
    package static var problems: [String] {
        var problems: [String] = []
        #if os(Linux)
        if lattice_knows_processes() == 0 {
            let isMounted = lattice_number_in_proc() >= 0
            let problem = isMounted ? "/proc belongs to another PID namespace" : "/proc is not mounted"
            if ControlGroupPlaces.ending == nil {
                problems.append(
                    "\(problem), and this process can make no cgroup: what workers start outside of their process group"
                        + " is not ended with them; mount /proc"
                )
            }
            // libdispatch counts its running threads there once a second while there is work for them
            // (_dispatch_workq_monitor_pools).
            problems.append(
                "\(problem), where Dispatch looks for its threads: Swift programs that compute for a second may be"
                    + " killed by SIGILL; mount /proc"
            )
        }
        #endif
        if getpid() == 1 {
            problems.append(
                "this is process 1, which inherits what workers leave and does not take it out of the process table;"
                    + " start it under an init, as docker run --init does"
            )
        }
        return problems
    }
}
