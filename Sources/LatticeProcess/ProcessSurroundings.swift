import CLatticeSystem

/// The deficiencies of the environment in which this process runs.
package enum ProcessSurroundings {
    /// Describes the processes that programs may leave behind in this environment, and the remedy, with one sentence
    /// for each problem.
    package static var problems: [String] {
        var problems: [String] = []
        #if os(Linux)
        if lattice_knows_processes() == 0, ControlGroupPlaces.ending == nil {
            let isMounted = lattice_number_in_proc() >= 0
            problems.append(
                "\(isMounted ? "/proc belongs to another PID namespace" : "/proc is not mounted"), and this process can make no"
                    + " cgroup: what workers start outside of their process group is not ended with them; mount /proc"
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
