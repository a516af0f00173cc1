/// An executor that runs a resumed task on the thread that resumes it, until the task changes to its actor.
///
/// A continuation resumes on the global executor, even in a task on the main actor, which then changes to the main
/// actor. That takes two changes of threads instead of one. With this executor as the preferred executor of a waiting
/// task, only the second change is left. The preference must cover only the wait itself, because other code would run
/// on whatever thread completes the event.
final class InlineExecutor: TaskExecutor {
    static let shared = InlineExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
    }

    /// Lets other tasks that wait for the isolation run first. `Task.yield` would use one of Swift's threads, which has
    /// to be woken and may be busy.
    static func yield(_ isolation: isolated any Actor) async {
        await withTaskExecutorPreference(shared) {
            // Mentioning the isolation makes the closure inherit it.
            _ = isolation
            await leave()
        }
    }

    @concurrent
    private static func leave() async {}
}
