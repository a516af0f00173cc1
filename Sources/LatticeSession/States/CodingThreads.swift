import LatticeConcurrency

/// The threads on which large states are encoded, decoded and compared. No event loop runs on them, so events, cancels
/// and heartbeats are processed meanwhile.
package enum CodingThreads {
    /// The size in bytes from which a state is large and is coded on these threads. Coding such a state takes about a
    /// millisecond, which is many times the duration of a switch to another thread and back.
    package static let largeBytes = 256 * 1024

    /// Runs `work` on one of the threads. Work items start in the order of the calls, and two of them may run at the
    /// same time. You can call it on any thread.
    package static func run(_ work: @escaping @Sendable () -> Void) {
        // The task has no parent. It ends with the work.
        _ = ThreadPool.begin { Task.detached(executorPreference: ThreadPool.coding) { work() } }
    }
}
