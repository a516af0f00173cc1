import LatticeConcurrency
import LatticeWire

/// The elements with which a call is answered that runs here.
///
/// What is added until the thread that writes comes to it goes out in one message: so a stream of small elements costs
/// few messages, and one element alone waits for nobody.
package final class OutgoingStream: Sendable {
    private struct State {
        var window = StreamWindow()
        /// What is to be sent, in order.
        var gathered: [UInt8] = []
        var isScheduled = false
        var waiter: UnsafeContinuation<Void, Never>?
        var isCancelled = false
    }

    private let answer: IncomingCall
    private let state = Locked(State())

    /// - Parameter answer: The call that is answered so. Its reply follows the elements, behind ``flush()``.
    package init(_ answer: IncomingCall) {
        self.answer = answer
    }

    /// Says that the answer is a stream; before all else.
    package func begin() {
        answer.send([])
        answer.flush()
        // The result may have had its turn, and goes on as this.
        answer.passTurn()
    }

    /// Adds an encoded element, when the other side takes it. One at a time.
    ///
    /// - Throws: `CancellationError`, also when nobody needs the answer any more.
    package func send(_ element: [UInt8]) async throws {
        if answer.isBehind {
            await answer.untilRoom()
            answer.passTurn()
        }
        while true {
            let (isAdded, isFirst) = state.withLock { state in
                guard !state.isCancelled, state.window.take(element.count) else { return (false, false) }
                add(element, to: &state)
                defer { state.isScheduled = true }
                return (true, !state.isScheduled)
            }
            if isAdded {
                if isFirst { answer.flushLater { self.flush() } }
                return
            }
            try await waitForCredit()
        }
    }

    private func add(_ element: [UInt8], to state: inout State) {
        if state.gathered.count + element.count > CallLimits.streamWindow { sendGathered(&state) }
        state.gathered += element
    }

    private func waitForCredit() async throws {
        await withUnsafeContinuation { continuation in
            let goesOn = state.withLock { state in
                guard !state.isCancelled, !state.window.isOpen else { return true }
                state.waiter = continuation
                return false
            }
            if goesOn { continuation.resume() }
        }
        guard !state.withLock(\.isCancelled) else { throw CancellationError() }
    }

    /// Writes what was added.
    package func flush() {
        state.withLock { state in
            state.isScheduled = false
            sendGathered(&state)
        }
        answer.flush()
    }

    /// Under the lock, so that what is sent from two threads is sent in order.
    private func sendGathered(_ state: inout State) {
        guard !state.gathered.isEmpty else { return }
        answer.send(state.gathered)
        state.gathered.removeAll(keepingCapacity: state.gathered.count <= CallLimits.streamWindow)
    }

    /// The other side takes so many bytes more.
    package func give(credit bytes: Int) {
        let waiter = state.withLock { state in
            state.window.give(bytes)
            return state.window.isOpen ? state.waiter.take() : nil
        }
        waiter?.resume()
    }

    /// Nobody needs what has not been sent.
    package func cancel() {
        let waiter = state.withLock { state in
            state.isCancelled = true
            return state.waiter.take()
        }
        waiter?.resume()
    }
}
