extension Task where Success == Never, Failure == Never {
    /// Lets other tasks run, many times: each time, a task of the usual priority and then one of the lowest have been
    /// given a thread and have yielded it.
    ///
    /// Usually enough for work that was just started to reach its first suspension, but no guarantee: wait for an event
    /// where there is one.
    /// - Complexity: O(*n*), where *n* is `count`.
    public static func megaYield(count: Int = 20) async {
        for _ in 0..<count {
            for priority in [TaskPriority.medium, .background] {
                await Task<Void, Never>.detached(priority: priority) { await Task.yield() }.value
            }
        }
    }
}
