import Glibc

/// The context switches of this process and of its living children.
enum ContextSwitches {
    /// The number until now. The switches of threads that have ended count for this process only.
    static var now: Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return ProcessFigures.children.reduce(usage.ru_nvcsw + usage.ru_nivcsw) { $0 + $1.contextSwitches }
    }
}
