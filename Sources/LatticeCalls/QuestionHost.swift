import LatticeConcurrency
package import LatticeSession
import LatticeWire

/// An object that answers questions about the channels of a session.
package protocol QuestionHost: AnyObject, Sendable {
    /// Begins to answer a question. It is called on the event loop.
    ///
    /// - Parameters:
    ///   - question: The question, as the feature encodes it.
    ///   - channel: The number of the channel.
    ///   - context: The deadline, the trace and the event of the question.
    ///   - answer: Receives the answer once.
    /// - Returns: The running work, or `nil` if the question has already been answered.
    func begin(
        _ question: [UInt8],
        on channel: UInt32,
        _ context: CallContext,
        _ answer: IncomingCall
    ) -> (any RunningCall)?
}

/// A question that is being answered in this process. If it is cancelled, it is answered at once, even if the work
/// continues.
package final class QuestionRun: RunningCall {
    private let answer: IncomingCall
    private let outcome = OneShot<CallOutcome>()

    /// Creates a question and begins to answer it.
    ///
    /// - Parameters:
    ///   - answer: Receives the answer.
    ///   - work: Returns the answer. It runs on threads that may compute and block, and is cancelled when the answer is
    ///     no longer needed.
    package init(_ answer: IncomingCall, _ work: @escaping @Sendable () async -> CallOutcome) {
        self.answer = answer
        outcome.run { [self] _ in end(await work()) }
    }

    /// Answers the question with a cancellation.
    package func cancel() {
        // Other threads may wait for this one, so the cancellation runs elsewhere. It calls handlers that may block.
        Task(executorPreference: ThreadPool.shared) { self.end(.failure(.cancelled)) }
    }

    private func end(_ outcome: CallOutcome) {
        if self.outcome.complete(outcome) { answer.end(outcome) }
    }
}
