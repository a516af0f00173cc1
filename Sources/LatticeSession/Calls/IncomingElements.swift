import LatticeConcurrency
import LatticeWire

/// The elements with which a call of this process is answered: who reads them waits here, and who receives them adds
/// them.
final class IncomingElements: Sendable {
    private struct State {
        var buffer = ElementBuffer()
        var reader: UnsafeContinuation<Void, Never>?
    }

    private let state = Locked(State())

    func receive(_ elements: ActorElements) throws(WireError) {
        let reader = try state.withLock { state throws(WireError) in
            try state.buffer.receive(elements)
            return state.reader.take()
        }
        reader?.resume()
    }

    func end(_ reply: ActorReply) {
        let reader = state.withLock { state in
            state.buffer.end(reply)
            return state.reader.take()
        }
        reader?.resume()
    }

    func abandon() -> Bool { state.withLock { $0.buffer.abandon() } }

    /// The next elements, or the end; waits for them, whatever becomes of the task. One task at a time.
    func next() async -> ElementBuffer.Step {
        while true {
            let step = state.withLock { $0.buffer.next() }
            guard case .wait = step else { return step }
            await withUnsafeContinuation { continuation in
                let isThere = state.withLock { state in
                    precondition(state.reader == nil, "A stream of an actor is read by one task at a time.")
                    guard state.buffer.isEmpty else { return true }
                    state.reader = continuation
                    return false
                }
                if isThere { continuation.resume() }
            }
        }
    }
}
