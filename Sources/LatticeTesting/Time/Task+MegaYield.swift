extension Task where Success == Never, Failure == Never {
    /// Lets other tasks run, many times: each time a task of the lowest priority has been scheduled and has yielded.
    ///
    /// Usually enough for work that was just started to reach its first suspension, but no guarantee: wait for an event
    /// where there is one.
    public static func megaYield(count: Int = 20) async {
        for _ in 0..<count {
            await Task<Void, Never>.detached(priority: .background) { await Task.yield() }.value
        }
    }
}
