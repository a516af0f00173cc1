import LatticeConcurrency

/// Where large states are encoded, decoded and compared: on threads that are nobody's event loop, so that events,
/// cancels and heartbeats go on meanwhile.
package enum CodingThreads {
    /// A state of so many bytes is large, and coded here: it takes a millisecond or so, many times what the hop to
    /// another thread and back takes.
    package static let largeBytes = 256 * 1024

    /// Runs `work` on one of the threads. Works begin in their order, and two may run at once. Any thread.
    package static func run(_ work: @escaping @Sendable () -> Void) {
        // Parentless: it ends with the work.
        _ = ThreadPool.begin { Task.detached(executorPreference: ThreadPool.coding) { work() } }
    }
}
