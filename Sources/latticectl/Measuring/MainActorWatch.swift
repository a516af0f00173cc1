import Glibc

/// How long the main actor's turns are, in processor time of its thread: what other processes take of the cores does
/// not count.
@MainActor final class MainActorWatch {
    /// What is found in one period counts as one turn: at most so much too much.
    private static let period: Duration = .milliseconds(5)

    private var longest: UInt64 = 0
    private var watching: Task<Void, Never>?

    nonisolated init() {}

    /// Begins to watch, for as long as this is there.
    func start() {
        watching = Task { [weak self] in
            var (thread, before) = (Self.numberOfThisThread(), ProcessFigures.processorTimeOfThisThread)
            while (try? await Task.sleep(for: Self.period)) != nil {
                let now = ProcessFigures.processorTimeOfThisThread
                guard let self else { return }
                // Once it has waited, the main actor may go on on another thread.
                if thread == Self.numberOfThisThread() { longest = max(longest, now - before) }
                (thread, before) = (Self.numberOfThisThread(), ProcessFigures.processorTimeOfThisThread)
            }
        }
    }

    /// The longest turn since the last call, in nanoseconds.
    func takeLongest() -> UInt64 {
        defer { longest = 0 }
        return longest
    }

    deinit {
        watching?.cancel()
    }

    /// Not what `pthread_self` says, which a new thread has from one that ended. Not inlined: the compiler would ask
    /// for the thread once, before and after a wait.
    @inline(never)
    private nonisolated static func numberOfThisThread() -> clockid_t {
        var clock = clockid_t()
        pthread_getcpuclockid(pthread_self(), &clock)
        return clock
    }
}
