import LatticeConcurrency

extension Task where Success == Never, Failure == Never {
    /// Lets other tasks run, many times: each time, a task on the threads of effects, one of the usual priority and one
    /// of the lowest have been given a thread and have yielded it.
    ///
    /// Usually enough for work that was just started to reach its first suspension, but no guarantee: wait for an event
    /// where there is one.
    /// - Complexity: O(*n*), where *n* is `count`.
    public static func megaYield(count: Int = 20) async {
        for _ in 0..<count { await letOthersRun(at: [.medium, .background]) }
    }
}

/// Lets go first what waits for a thread: for one of those that effects run on, and for one of Swift's at each of these
/// priorities.
func letOthersRun(at priorities: [TaskPriority]) async {
    await ThreadPool.begin { Task(executorPreference: ThreadPool.shared) { await Task.yield() } }.value
    for priority in priorities {
        await Task.detached(priority: priority) { await Task.yield() }.value
    }
}
