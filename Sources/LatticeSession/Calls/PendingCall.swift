import LatticeConcurrency
import LatticeWire

/// A call of this process that waits for its answer: a task, resumed once.
final class PendingCall: Sendable {
    private enum State {
        case new
        case waiting(UnsafeContinuation<ActorReply, Never>)
        case answered(ActorReply)
        case done
    }

    private let state = Locked(State.new)
    private let sent = Locked<(link: LinkID, call: UInt64)?>(nil)
    private let local = Locked<(any RunningCall)?>(nil)

    /// - Returns: Whether this was the first answer.
    @discardableResult
    func complete(_ reply: ActorReply) -> Bool {
        let (isFirst, continuation) = state.withLock { state -> (Bool, UnsafeContinuation<ActorReply, Never>?) in
            switch state {
            case .new:
                state = .answered(reply)
                return (true, nil)
            case .waiting(let continuation):
                state = .done
                return (true, continuation)
            case .answered, .done:
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
                    guard case .answered(let reply) = state else {
                        state = .waiting(continuation)
                        return nil
                    }
                    state = .done
                    return reply
                }
                if let reply { continuation.resume(returning: reply) }
            }
        }
    }

    func sent(over link: LinkID, as call: UInt64) {
        sent.withLock { $0 = (link, call) }
    }

    /// Where it was sent; nil: nowhere.
    var place: (link: LinkID, call: UInt64)? { sent.withLock(\.self) }

    /// What runs in this process, if that is where it was made for.
    var run: (any RunningCall)? {
        get { local.withLock(\.self) }
        set { local.withLock { $0 = newValue } }
    }
}
