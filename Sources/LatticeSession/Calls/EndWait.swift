import LatticeConcurrency
import LatticeWire

/// Somebody waits for the end of an actor.
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
        if stop() { answer.end(ActorReply(call: 0, code: .cancelled)) }
    }

    /// It is told of the end when that has come.
    func leave() {}

    /// - Returns: Whether it waited.
    func stop() -> Bool { node.core.withLock { $0.ends.stopWaiting(key) != nil } }
}
