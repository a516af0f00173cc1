import LatticeConcurrency
import LatticeCore

/// Effects that have started and are not at work yet.
final class EffectStarts: Sendable {
    private struct State {
        var next = 0
        var pending: Set<Int> = []
    }

    private let state = Locked(State())
    private let changes = ChangeSignal()

    /// An effect starts.
    /// - Returns: what is called when it is at work, once or more.
    func begin() -> @Sendable () -> Void {
        let number = state.withLock { state in
            state.next += 1
            state.pending.insert(state.next)
            return state.next
        }
        return { [self] in
            let wasPending = state.withLock { $0.pending.remove(number) != nil }
            if wasPending { changes.send() }
        }
    }

    /// Waits until everything that has started is at work. What is not after `timeout` of real time, such as a stream
    /// whose opening waits for the test, is not waited for again.
    func settled(timeout: Duration, isolation: isolated (any Actor)? = #isolation) async {
        let waiting = await changes.wait(timeout: timeout) { state.withLock { $0.pending.isEmpty } }
        if waiting == .timedOut { state.withLock { $0.pending = [] } }
    }
}
