package import LatticeCalls

/// The call of a running method. Outside of a method of a ``CallReading`` actor, these functions do nothing.
package enum CurrentCall {
    @TaskLocal static var run: ActorCallRun?

    /// The process that has made the call, or nil if it is this process.
    package static var caller: CallerIdentity? { run?.answer.callerIdentity }

    /// Calls a closure once when the answer of the method is in the socket, or cannot be sent any more. A method has at
    /// most one such closure. It is called on any thread and must not block.
    package static func onceAnswered(_ body: @escaping @Sendable (AnswerDelivery) -> Void) {
        run?.onceAnswered(body)
    }

    /// Calls a closure when this process accepts no more calls, because it is about to end, or at once if this is so. A
    /// method has at most one such closure. It is called on any thread and must not block.
    package static func onDrain(_ body: @escaping @Sendable () -> Void) {
        run?.onDrain(body)
    }
}

/// An actor whose methods use ``CurrentCall``. Calls of other actors do not set it, because that takes time.
package protocol CallReading {}
