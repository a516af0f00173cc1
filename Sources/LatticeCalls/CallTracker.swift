import LatticeConcurrency

/// Counts the calls of one place in the code whose methods run although no caller waits for them any more.
///
/// A method runs on after its caller's deadline or cancellation until it answers. A method that was called without
/// waiting for its answer runs on from the beginning. Such a call counts until its answer arrives or its process is
/// gone.
package final class CallTracker: Sendable {
    private struct State {
        var running = 0
        /// The number of these calls whose callers have given up.
        var overdue = 0
        var onEnd: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    /// Creates a tracker that counts no calls.
    package init() {}

    /// Whether a caller has given up on a method that has not answered yet.
    package var hasOverdueCalls: Bool { state.withLock { $0.overdue > 0 } }

    /// Calls a function once when no counted call runs any more.
    ///
    /// - Returns: `true` if no counted call runs now. The function is not called then.
    package func whenNoneRuns(_ onEnd: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            if state.running > 0 { state.onEnd = onEnd }
            return state.running == 0
        }
    }

    /// Begins to count a call.
    ///
    /// - Parameter isOverdue: Whether its caller has given up.
    package func runsOn(isOverdue: Bool) {
        state.withLock { state in
            state.running += 1
            if isOverdue { state.overdue += 1 }
        }
    }

    /// Stops counting a call, because it was answered or never will be.
    ///
    /// - Parameter isOverdue: The value that was given when the call began to count.
    package func hasEnded(isOverdue: Bool) {
        let onEnd = state.withLock { state in
            state.running -= 1
            if isOverdue { state.overdue -= 1 }
            return state.running == 0 ? state.onEnd.take() : nil
        }
        onEnd?()
    }
}
