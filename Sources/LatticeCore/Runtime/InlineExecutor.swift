/// Runs what is resumed on the thread that resumes it, for the few steps until it changes to its actor.
///
/// A continuation resumes on the global executor, even that of a task on the main actor, which then changes there: two
/// changes of threads for one. With this as the preferred executor of a task that waits, only the second one is left.
/// No code but that of the wait itself may be under it: it would run on whatever thread completes the event.
final class InlineExecutor: TaskExecutor {
    static let shared = InlineExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
    }

    /// Lets others have the isolation first that wait for it. `Task.yield` goes by one of Swift's threads, which has to
    /// be woken and may be busy.
    static func yield(_ isolation: isolated any Actor) async {
        await withTaskExecutorPreference(shared) {
            // Mentioned, else the closure is nobody's.
            _ = isolation
            await leave()
        }
    }

    @concurrent
    private static func leave() async {}
}
