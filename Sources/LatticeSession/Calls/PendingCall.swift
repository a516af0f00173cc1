import LatticeConcurrency
import LatticeWire

/// A call of this process that waits for its answer: a task, resumed once.
final class PendingCall: Sendable {
    private enum Answer {
        case none
        case awaited(UnsafeContinuation<ActorReply, Never>)
        case given(ActorReply)
        case taken
    }

    private struct State {
        var answer = Answer.none
        var place: (link: LinkID, call: UInt64)?
        var run: (any RunningCall)?
    }

    private let state = Locked(State())

    /// - Returns: Whether this was the first answer.
    @discardableResult
    func complete(_ reply: ActorReply) -> Bool {
        let (isFirst, continuation) = state.withLock { state -> (Bool, UnsafeContinuation<ActorReply, Never>?) in
            switch state.answer {
            case .none:
                state.answer = .given(reply)
                return (true, nil)
            case .awaited(let continuation):
                state.answer = .taken
                return (true, continuation)
            case .given, .taken:
                return (false, nil)
            }
        }
        continuation?.resume(returning: reply)
        return isFirst
    }

    /// Called once.
    var reply: ActorReply {
        get async {
            await withUnsafeContinuation { continuation in
                let reply = state.withLock { state -> ActorReply? in
                    guard case .given(let reply) = state.answer else {
                        state.answer = .awaited(continuation)
                        return nil
                    }
                    state.answer = .taken
                    return reply
                }
                if let reply { continuation.resume(returning: reply) }
            }
        }
    }

    /// Where it was sent; nil: nowhere.
    var place: (link: LinkID, call: UInt64)? {
        get { state.withLock(\.place) }
        set { state.withLock { $0.place = newValue } }
    }

    /// What runs in this process, if that is where it was made for.
    var run: (any RunningCall)? {
        get { state.withLock(\.run) }
        set { state.withLock { $0.run = newValue } }
    }
}
