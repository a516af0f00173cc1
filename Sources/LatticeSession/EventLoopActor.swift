import LatticeCoding
import LatticeConcurrency
package import LatticeTransport
import LatticeWire

/// An actor whose isolated code runs on the thread of an event loop.
package actor EventLoopActor {
    /// The event loop on whose thread the actor runs.
    package nonisolated let eventLoop: any EventLoop
    /// Reports the progress of values that are coded on behalf of the event loop.
    package nonisolated let codingProgress: CodingProgress

    /// Creates an actor that runs on the thread of the given event loop.
    package init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        codingProgress = CodingProgress(eventLoop)
    }

    /// The executor of the event loop.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.asUnownedSerialExecutor() }
}

/// Shows the peers of an event loop's connections that the coding of a large value makes progress.
///
/// While the loop's own thread codes, its connections send a sign of life from time to time. While a thread of
/// ``CodingThreads`` codes, the answer to a ping waits until that thread has made progress. A peer that receives
/// neither of them can conclude that the coding hangs.
package final class CodingProgress: CodingObserver {
    private struct Core {
        /// The number of values that other threads are coding.
        var running = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let eventLoop: any EventLoop
    private let core = Locked(Core())

    /// Creates an object that reports the progress of coding on behalf of the given event loop.
    package init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Reports that the coding of a value has made progress. You can call it on any thread.
    package func codingGoesOn() {
        if eventLoop.isCurrent { eventLoop.workGoesOn() } else { answer { _ in } }
    }

    /// Codes a large value. On a thread other than the loop's, the value counts as being coded until this returns.
    package func track<Value>(_ code: () throws -> Value) rethrows -> Value {
        guard !eventLoop.isCurrent else { return try code() }
        core.withLock { $0.running += 1 }
        defer { answer { $0.running -= 1 } }
        return try code()
    }

    /// Calls `answer` at once, or, while another thread is coding, as soon as that thread has made progress. You can
    /// call it on any thread.
    package func whenGoingOn(_ answer: @escaping @Sendable () -> Void) {
        let isNow = core.withLock { core in
            if core.running > 0 { core.waiting.append(answer) }
            return core.running == 0
        }
        if isNow { answer() }
    }

    private func answer(_ change: (inout Core) -> Void) {
        let waiting = core.withLock { core in
            change(&core)
            defer { core.waiting = [] }
            return core.waiting
        }
        for answer in waiting { answer() }
    }
}
