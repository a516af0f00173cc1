import LatticeConcurrency
package import LatticeWire

/// A stream with which a call of this process is answered. The call ends when whoever reads it lets go of this.
package final class IncomingStream: Sendable {
    package enum Next: Sendable {
        /// Encoded elements, one behind the other (a CBOR sequence).
        case elements([UInt8])
        /// There are no more, and why.
        case end(ActorReply)
        /// Another task waits for them.
        case busy
    }

    private let elements: IncomingElements
    private let call: PendingCall
    private let node: ActorNode
    /// The one of the call's deadline.
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

    /// Nobody reads any more.
    package func cancel() {
        if elements.abandon() { node.cancel(call) }
    }

    /// The next elements, for one task at a time.
    ///
    /// Cancelling the task cancels the call, and what has come and was not taken is dropped; the end is then that of
    /// the call, within ``ActorNode/cancelTimeout``.
    package func next() async -> Next {
        await withTaskCancellationHandler {
            switch await elements.next() {
            case .take(let bytes, let credit):
                if credit > 0 { node.grant(credit, for: call) }
                return .elements(bytes)
            case .end(let reply): return .end(reply)
            case .wait, nil: return .busy
            }
        } onCancel: {
            cancel()
        }
    }
}
