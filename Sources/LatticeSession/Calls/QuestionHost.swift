import LatticeConcurrency
package import LatticeWire

/// Whom a node asks about the channels of a session.
package protocol QuestionHost: AnyObject, Sendable {
    /// A question came. On the event loop.
    ///
    /// - Parameter answer: Is given the answer, once.
    /// - Returns: What works on it; nil: it has been answered.
    func begin(_ question: ChannelQuestion, _ terms: CallContext, _ answer: IncomingCall) -> (any RunningCall)?
}

/// A question that is being answered here. When it is cancelled it is answered at once, whatever the work does then.
package final class QuestionRun: RunningCall {
    private let answer: IncomingCall
    private let reply = OneShot<ActorReply>()

    /// - Parameter work: Runs on threads that may compute and block; cancelled when nobody needs the answer any more.
    package init(_ answer: IncomingCall, _ work: @escaping @Sendable () async -> ActorReply) {
        self.answer = answer
        reply.run { [self] _ in end(await work()) }
    }

    package func cancel() {
        // Not on a thread that others wait for: cancelling calls handlers, which may wait.
        Task(executorPreference: ThreadPool.shared) { self.end(ActorReply(call: 0, code: .cancelled)) }
    }

    private func end(_ reply: ActorReply) {
        if self.reply.complete(reply) { answer.end(reply) }
    }
}
