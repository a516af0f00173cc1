import Glibc

/// Measures the longest time for which the main actor runs without a pause, in processor time of its thread. Time in
/// which other processes use the cores does not count.
@MainActor final class MainActorWatch {
    /// The interval between two samples. All work within one interval counts as one turn, so a result may be too large
    /// by at most this much.
    private static let period: Duration = .milliseconds(5)

    private var longest: UInt64 = 0
    private var watching: Task<Void, Never>?

    nonisolated init() {}

    /// Starts measuring. It continues until this object is deallocated.
    func start() {
        watching = Task { [weak self] in
            var (thread, before) = (Self.numberOfThisThread(), ProcessFigures.processorTimeOfThisThread)
            while (try? await Task.sleep(for: Self.period)) != nil {
                let now = ProcessFigures.processorTimeOfThisThread
                guard let self else { return }
                // After a wait, the main actor may continue on another thread.
                if thread == Self.numberOfThisThread() { longest = max(longest, now - before) }
                (thread, before) = (Self.numberOfThisThread(), ProcessFigures.processorTimeOfThisThread)
            }
        }
    }

    /// Returns the longest turn since the last call, in nanoseconds.
    func takeLongest() -> UInt64 {
        defer { longest = 0 }
        return longest
    }

    deinit {
        watching?.cancel()
    }

    /// Identifies the current thread. The value of `pthread_self` is not used because a new thread may have the value
    /// of one that has ended. The function is not inlined, because the compiler would then read the thread only once,
    /// before a wait, and use it again after the wait.
    @inline(never)
    private nonisolated static func numberOfThisThread() -> clockid_t {
        var clock = clockid_t()
        pthread_getcpuclockid(pthread_self(), &clock)
        return clock
    }
}
