import LatticeConcurrency
import LatticeWire

/// A stream that answers a call of this process. The call is cancelled when this object is released.
package final class IncomingStream: Sendable {
    /// What ``IncomingStream/next()`` returns.
    package enum Next: Sendable {
        /// Encoded elements, one after the other, as a CBOR sequence.
        case elements([UInt8])
        /// The end of the stream, with the outcome that explains it.
        case end(CallOutcome)
        /// Another task is waiting for the next elements.
        case busy
    }

    private let elements: IncomingElements
    private let call: PendingCall
    private let node: ActorNode
    /// The timer for the deadline of the call.
    private let timer: Timers.Key?

    init(_ elements: IncomingElements, of call: PendingCall, at node: ActorNode, timer: Timers.Key?) {
        self.elements = elements
        self.call = call
        self.node = node
        self.timer = timer
    }

    deinit {
        if let timer { TimerThread.shared.cancel(timer) }
        cancel()
    }

    /// Cancels the call, because its stream is no longer read.
    package func cancel() {
        if elements.abandon() { node.cancel(call) }
    }

    /// Returns the next elements. One task at a time can call it.
    ///
    /// Cancelling the task cancels the call. Received elements that have not been read are then dropped, and the stream
    /// ends with the end of the call, at most ``ActorNode/cancelTimeout`` later.
    package func next() async -> Next {
        await withTaskCancellationHandler {
            switch await elements.next() {
            case .take(let bytes, let credit):
                if credit > 0 { node.grant(credit, for: call) }
                return .elements(bytes)
            case .end(let outcome): return .end(outcome)
            case .wait, nil: return .busy
            }
        } onCancel: {
            cancel()
        }
    }
}
