import CCounters
import LatticeConcurrency

/// What this process has counted since it began. A count is nil where it is not counted.
struct ProcessCounts: Codable, Equatable, Sendable {
    /// The allocations of all threads.
    var allocations = Allocations.ofAllThreads
    /// The system calls of all threads that ``lattice_system_calls_of_all_threads()`` counts.
    var systemCalls = Self.known(lattice_system_calls_of_all_threads())
    /// The locks that threads have taken. They are counted in debug builds.
    var locks = Self.locksTaken

    private static var locksTaken: Int? {
        #if os(Linux)
        Gate.entries
        #else
        nil
        #endif
    }

    private static func known(_ count: Int64) -> Int? { count < 0 ? nil : Int(count) }

    /// What was counted between two moments.
    static func - (later: ProcessCounts, earlier: ProcessCounts) -> ProcessCounts {
        combine(later, earlier, by: -)
    }

    /// The sums of the counts of two processes.
    static func + (left: ProcessCounts, right: ProcessCounts) -> ProcessCounts {
        combine(left, right, by: +)
    }

    private static func combine(
        _ left: ProcessCounts,
        _ right: ProcessCounts,
        by operation: (Int, Int) -> Int
    ) -> ProcessCounts {
        func combined(_ count: KeyPath<ProcessCounts, Int?>) -> Int? {
            if let left = left[keyPath: count], let right = right[keyPath: count] {
                operation(left, right)
            } else {
                nil
            }
        }
        var result = left
        result.allocations = combined(\.allocations)
        result.systemCalls = combined(\.systemCalls)
        result.locks = combined(\.locks)
        return result
    }
}
