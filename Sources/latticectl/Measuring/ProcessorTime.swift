import Glibc

/// What this process and those that it started have had on all cores.
struct ProcessorTime {
    let nanoseconds: UInt64

    /// Runs something, with the time that it takes, that of the processes included which end meanwhile.
    ///
    /// The peers beside which the bench is set count the same: all processes of a step, from their start to their end.
    @MainActor static func measuring<Value>(
        _ body: @MainActor () async throws -> Value
    ) async throws -> (Value, ProcessorTime) {
        let before = now
        let value = try await body()
        return (value, ProcessorTime(nanoseconds: now - before))
    }

    /// Own time, and that of all who have ended and were waited for.
    private static var now: UInt64 { used(by: RUSAGE_SELF) + used(by: RUSAGE_CHILDREN) }

    private static func used(by whom: __rusage_who) -> UInt64 {
        var usage = rusage()
        getrusage(__rusage_who_t(whom.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) {
            $0 + UInt64($1.tv_sec) * 1_000_000_000 + UInt64($1.tv_usec) * 1000
        }
    }
}
