import LatticeCoding
import LatticeConcurrency
package import LatticeTransport
import LatticeWire

/// The isolation of everything that lives on an event loop's thread.
package actor EventLoopActor {
    package nonisolated let eventLoop: any EventLoop
    /// For what is coded on the loop's thread.
    package nonisolated let codingProgress: CodingProgress

    package init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        codingProgress = CodingProgress(eventLoop)
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.asUnownedSerialExecutor() }
}

/// What the coding of large values on behalf of an event loop tells the other side of its connections: that it goes on,
/// or, by silence, that it hangs.
///
/// While the loop's own thread codes, connections give a sign of life from time to time. While a thread of
/// ``CodingThreads`` codes, an answer to a ping waits until that has made headway.
package final class CodingProgress: CodingObserver {
    private struct Core {
        /// Codings at work on other threads.
        var running = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let eventLoop: any EventLoop
    private let core = Locked(Core())

    package init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    package func codingGoesOn() {
        if eventLoop.isCurrent { eventLoop.workGoesOn() } else { answer { _ in } }
    }

    /// Codes a large value, and counts that if it is on another thread than the loop's.
    package func track<Value>(_ code: () throws -> Value) rethrows -> Value {
        guard !eventLoop.isCurrent else { return try code() }
        core.withLock { $0.running += 1 }
        defer { answer { $0.running -= 1 } }
        return try code()
    }

    /// Calls `answer` at once, or when what is coded on another thread has made headway. Any thread.
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
