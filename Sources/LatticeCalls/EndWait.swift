import LatticeConcurrency
import LatticeWire

/// A call that is answered when an actor has ended.
final class EndWait: RunningCall {
    private let key: EndTable<IncomingCall>.ID
    private let answer: IncomingCall
    private let node: ActorNode

    init(_ key: EndTable<IncomingCall>.ID, _ answer: IncomingCall, at node: ActorNode) {
        self.key = key
        self.answer = answer
        self.node = node
    }

    func cancel() {
        if stop() { answer.end(.failure(.cancelled)) }
    }

    /// Does nothing, because the call is answered when the actor ends with the process.
    func leave() {}

    /// Removes the waiter.
    ///
    /// - Returns: Whether it was still waiting.
    func stop() -> Bool { node.core.withLock { $0.ends.stopWaiting(key) != nil } }
}
