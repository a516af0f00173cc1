import LatticeConcurrency
import LatticeSession
import LatticeWire

/// The operations of a node itself: ends of actors, tables of methods, and questions to features.
extension ActorNode {
    /// Begins an operation of the node.
    func beginOperation(_ call: ActorCall, _ context: CallContext, _ answer: IncomingCall) -> (any RunningCall)? {
        switch call.method {
        case .operation(.ended): return awaitEnd(of: call.actor, answer)
        case .operation(.methods): answerMethods(of: call.actor, answer)
        case .operation(.ask): return beginAnswering(call.arguments, on: call.actor, context, answer)
        case .operation(.probe): answer.end(.returned(nil))
        case .operation, .named:
            let reason = "the \(title) has no \(call.method.name); update its program"
            answer.end(.failure(.noMethod, reason))
        }
        return nil
    }

    private func answerMethods(of actor: UInt64, _ answer: IncomingCall) {
        let host = core.withLock(\.host)
        guard let list = host?.methods(of: actor) else { return answer.end(.noActor(actor, at: title)) }
        answer.end(.returned(list.bytes))
    }

    // MARK: Ends

    private func awaitEnd(of actor: UInt64, _ answer: IncomingCall) -> (any RunningCall)? {
        // The wait is registered before the check whether the actor exists, so that an end between the two is not
        // missed.
        let (key, host) = core.withLock { ($0.ends.wait(for: actor, answer), $0.host) }
        guard let key else {
            answer.end(.tooManyWait)
            return nil
        }
        let wait = EndWait(key, answer, at: self)
        guard actor == 0 || host?.hasActor(actor) == true else {
            if wait.stop() { answer.end(.returned(nil)) }
            return nil
        }
        return wait
    }
}
