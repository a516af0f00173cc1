import LatticeConcurrency
import LatticeWire

/// A stream that answers a call that runs in this process.
///
/// Elements that are added before the writing thread runs are sent in one message. A stream of small elements therefore
/// costs few messages, and a single element is not delayed.
package final class OutgoingStream: Sendable {
    private struct State {
        var window = StreamWindow()
        /// The elements that must be sent, in order.
        var gathered: [UInt8] = []
        var isScheduled = false
        var waiter: UnsafeContinuation<Void, Never>?
        var isCancelled = false
    }

    private let answer: IncomingCall
    private let state = Locked(State())

    /// Creates a stream.
    ///
    /// - Parameter answer: The call that is answered with the stream. Its reply must follow after ``flush()``.
    package init(_ answer: IncomingCall) {
        self.answer = answer
    }

    /// Announces that the answer is a stream. Call it before any other method.
    package func begin() {
        answer.send([])
        answer.flush()
        // If the method waited for room, the next waiter can continue now.
        answer.resumeNextWaiter()
    }

    /// Adds an encoded element as soon as the other side accepts it. Only one call at a time may be in progress.
    ///
    /// - Throws: `CancellationError` if the task is cancelled or the answer is no longer needed.
    package func send(_ element: [UInt8]) async throws {
        if answer.isBehind {
            await answer.untilRoom()
            answer.resumeNextWaiter()
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

    /// Writes the elements that were added.
    package func flush() {
        state.withLock { state in
            state.isScheduled = false
            sendGathered(&state)
        }
        answer.flush()
    }

    /// Sends the collected elements. It is called under the lock, so that elements from two threads are sent in order.
    private func sendGathered(_ state: inout State) {
        guard !state.gathered.isEmpty else { return }
        answer.send(state.gathered)
        state.gathered.removeAll(keepingCapacity: state.gathered.count <= CallLimits.streamWindow)
    }

    /// Receives credit, which allows this number of bytes more to be sent.
    package func give(credit bytes: Int) {
        let waiter = state.withLock { state in
            state.window.give(bytes)
            return state.window.isOpen ? state.waiter.take() : nil
        }
        waiter?.resume()
    }

    /// Ends the stream, because its elements are no longer needed.
    package func cancel() {
        let waiter = state.withLock { state in
            state.isCancelled = true
            return state.waiter.take()
        }
        waiter?.resume()
    }
}
