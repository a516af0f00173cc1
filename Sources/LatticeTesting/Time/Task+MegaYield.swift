import LatticeConcurrency

extension Task where Success == Never, Failure == Never {
    /// Suspends the current task many times to let other tasks run. Each time, three kinds of tasks get a thread and
    /// yield it: a task on the threads of effects, one with the default priority, and one with the lowest priority.
    ///
    /// This is usually enough for work that was just started to reach its first suspension point, but it is no
    /// guarantee. If there is an event to wait for, wait for that instead.
    /// - Complexity: O(*n*), where *n* is `count`.
    public static func megaYield(count: Int = 20) async {
        for _ in 0..<count { await letOthersRun(at: [.medium, .background]) }
    }
}

/// Lets those tasks run first that wait for a thread: for one of the threads of effects, and for one of Swift's threads
/// at each of the given priorities.
func letOthersRun(at priorities: [TaskPriority]) async {
    await ThreadPool.begin { Task(executorPreference: ThreadPool.shared) { await Task.yield() } }.value
    for priority in priorities {
        await Task.detached(priority: priority) { await Task.yield() }.value
    }
}
