import LatticeConcurrency

/// The load of the threads that effects of this process run on.
///
/// The threads of ``EffectThreads`` are not included.
package struct EffectLoad: Sendable, Hashable {
    /// The number of threads, including idle ones.
    package let threads: Int
    /// The number of threads that run an effect which has computed or blocked for more than a millisecond or two. The
    /// maximum is 1,024. If it is reached, effects wait until one of these effects ends or awaits.
    package let computing: Int
    /// The number of pieces of effects that wait for a thread. A piece is the code from one `await` to the next.
    package let waiting: Int
    /// The longest time that a piece has waited so far, with a resolution of milliseconds.
    package let longestWait: Duration

    /// The current load.
    package static var current: EffectLoad {
        let load = ThreadPool.shared.load
        return EffectLoad(
            threads: load.threads,
            computing: load.setAside,
            waiting: load.waiting,
            longestWait: load.longestWait
        )
    }

    /// Measures the time that a new task waits for one of Swift's own threads.
    ///
    /// Effects do not need these threads. The tasks that they start with `Task { }` and `Task.detached` do, and so does
    /// `Task.sleep`. There are as many threads as cores, so tasks that compute delay all others.
    /// - Parameters:
    ///   - limit: The maximum time to wait.
    ///   - isolation: The isolation of the caller. Omit this argument.
    /// - Returns: The time, or nil if it exceeds `limit` or the calling task was cancelled.
    package static func waitForSwiftThread(
        atMost limit: Duration = .seconds(1),
        isolation: isolated (any Actor)? = #isolation
    ) async -> Duration? {
        let start = ContinuousClock.now
        let begun = OneShot<Duration>()
        Task.detached { begun.complete(start.duration(to: .now)) }
        return await withTaskExecutorPreference(ThreadPool.shared) {
            // Mentioning the isolation keeps the closure off the threads that are being measured.
            _ = isolation
            return (try? await begun.value(within: limit)) ?? nil
        }
    }
}
