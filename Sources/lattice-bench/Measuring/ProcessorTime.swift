import Glibc

/// The processor time of this process and the processes that it has started, on all cores.
///
/// The programs to which the bench is compared count in the same way: all processes of a step, from their start to
/// their end.
struct ProcessorTime {
    let nanoseconds: UInt64

    /// The processor time until now: of this process, of its children that it has waited for, and of its living
    /// children.
    static var now: ProcessorTime {
        let living = ProcessFigures.children.reduce(0) { $0 + ((try? $1.processorTime()) ?? 0) }
        return ProcessorTime(nanoseconds: used(by: RUSAGE_SELF) + used(by: RUSAGE_CHILDREN) + living)
    }

    static func - (later: ProcessorTime, earlier: ProcessorTime) -> ProcessorTime {
        ProcessorTime(nanoseconds: later.nanoseconds - earlier.nanoseconds)
    }

    private static func used(by whom: __rusage_who) -> UInt64 {
        var usage = rusage()
        getrusage(__rusage_who_t(whom.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) {
            $0 + UInt64($1.tv_sec) * 1_000_000_000 + UInt64($1.tv_usec) * 1000
        }
    }
}
