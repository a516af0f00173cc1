import LatticeConcurrency
import LatticeWire

/// The elements of a stream that answers a call of this process. A reader waits here for the elements that the event
/// loop adds.
final class IncomingElements: Sendable {
    private struct State {
        var buffer = ElementBuffer()
        var reader: UnsafeContinuation<Void, Never>?
    }

    private let state = Locked(State())

    func receive(_ elements: ActorElements) {
        let reader = state.withLock { state in
            state.buffer.receive(elements.elements)
            return state.reader.take()
        }
        reader?.resume()
    }

    func end(_ outcome: CallOutcome) {
        let reader = state.withLock { state in
            state.buffer.end(outcome)
            return state.reader.take()
        }
        reader?.resume()
    }

    func abandon() -> Bool { state.withLock { $0.buffer.abandon() } }

    /// Returns the next elements or the end of the stream, and waits for them even if the task is cancelled.
    ///
    /// - Returns: The next step, or `nil` if another task is waiting for it.
    func next() async -> ElementBuffer.Step? {
        while true {
            let (step, isBusy) = state.withLock { state in
                state.reader == nil ? (state.buffer.next(), false) : (.wait, true)
            }
            if isBusy { return nil }
            guard case .wait = step else { return step }
            await withUnsafeContinuation { continuation in
                let waits = state.withLock { state in
                    guard state.buffer.isEmpty, state.reader == nil else { return false }
                    state.reader = continuation
                    return true
                }
                if !waits { continuation.resume() }
            }
        }
    }
}
