import LatticeConcurrency

/// The calls that were made in one place and whose methods run on although no caller waits for them any more.
///
/// A method runs on behind its caller's deadline or cancellation until it answers, and one that was called without
/// waiting for its answer runs on anyway. A call counts from then on until its answer comes, or its process is gone.
package final class CallTracker: Sendable {
    private struct State {
        var running = 0
        /// How many of those are calls whose callers have given up.
        var overdue = 0
        var onEnd: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    package init() {}

    /// Whether a caller has given up on a method that has not answered yet.
    package var hasOverdueCalls: Bool { state.withLock { $0.overdue > 0 } }

    /// Calls a function once, when no call runs on any more.
    ///
    /// - Returns: Whether none does now. Then the function is not called.
    package func whenNoneRuns(_ onEnd: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            if state.running > 0 { state.onEnd = onEnd }
            return state.running == 0
        }
    }

    /// A call runs on from now on.
    ///
    /// - Parameter isOverdue: Whether its caller has given up.
    package func runsOn(isOverdue: Bool) {
        state.withLock { state in
            state.running += 1
            if isOverdue { state.overdue += 1 }
        }
    }

    /// Such a call has its answer, or will never have one.
    package func hasEnded(isOverdue: Bool) {
        let onEnd = state.withLock { state in
            state.running -= 1
            if isOverdue { state.overdue -= 1 }
            return state.running == 0 ? state.onEnd.take() : nil
        }
        onEnd?()
    }
}
