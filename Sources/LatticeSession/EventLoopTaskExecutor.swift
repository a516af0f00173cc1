package import LatticeTransport

/// Tasks that prefer it run on an event loop's thread, also where they are isolated to nothing: between what the thread
/// reads and what it writes there is no other thread.
package final class EventLoopTaskExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    package init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        eventLoop.enqueue(UnownedJob(job), of: self)
    }
}
