import LatticeConcurrency

/// How busy the threads of this process are that effects run on.
///
/// Not counted are those of ``EffectThreads``.
public struct EffectLoad: Sendable, Hashable {
    /// Threads, idle ones included.
    public let threads: Int
    /// Those of them that run an effect which was found to have computed or blocked for more than a millisecond or two.
    /// There may be 1,024 threads; with as many of these, effects wait until one of them ends or awaits.
    public let computing: Int
    /// Pieces of effects, from one `await` to the next, that wait for a thread.
    public let waiting: Int
    /// How long the one waits that has waited longest; in milliseconds.
    public let longestWait: Duration

    /// The load at this moment.
    public static var current: EffectLoad {
        let load = ThreadPool.shared.load
        return EffectLoad(
            threads: load.threads,
            computing: load.setAside,
            waiting: load.waiting,
            longestWait: load.longestWait
        )
    }

    /// How long a new task waits for one of Swift's own threads.
    ///
    /// Effects need none of these, but the tasks that they start with `Task { }` and `Task.detached` do, and so does
    /// `Task.sleep`. There are as many as cores: tasks that compute keep all others waiting.
    /// - Parameters:
    ///   - limit: how long is tried at most.
    ///   - isolation: the caller's; leave it out.
    /// - Returns: the time, or nil if `limit` was over first, or the calling task was cancelled.
    public static func waitForSwiftThread(
        atMost limit: Duration = .seconds(1),
        isolation: isolated (any Actor)? = #isolation
    ) async -> Duration? {
        let start = ContinuousClock.now
        let begun = OneShot<Duration>()
        Task.detached { begun.complete(start.duration(to: .now)) }
        return await withTaskExecutorPreference(ThreadPool.shared) {
            // Mentioned, else the closure goes to one of the threads in question.
            _ = isolation
            return (try? await begun.value(within: limit)) ?? nil
        }
    }
}
