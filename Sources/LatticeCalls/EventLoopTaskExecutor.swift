package import LatticeTransport

/// A task executor that runs jobs on the thread of an event loop.
///
/// Tasks that prefer this executor run on that thread even in code that is isolated to no actor. A message is then
/// handled on the thread that reads it and that writes the answer, without a switch of threads.
package final class EventLoopTaskExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    /// Creates a task executor for the given event loop.
    package init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Enqueues a job on the event loop.
    package func enqueue(_ job: consuming ExecutorJob) {
        eventLoop.enqueue(UnownedJob(job), of: self)
    }
}
