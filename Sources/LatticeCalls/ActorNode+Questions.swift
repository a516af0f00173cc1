import LatticeConcurrency
package import LatticeSession
import LatticeWire

/// Questions to features, which name the channel that shows the feature.
extension ActorNode {
    /// The pause before a question is repeated, in which the process that will answer it may finish starting.
    private static let pause: Duration = .milliseconds(20)

    /// Asks the feature behind a channel of the session with the hub.
    ///
    /// - Returns: The answer, or an outcome that describes the failure.
    package func ask(_ question: [UInt8], on channel: UInt32, _ context: CallContext) async -> CallOutcome {
        await ask(question, on: channel, context) { [self] () throws(CallFailure) in
            if let hub = await hub(until: context.deadline.moment ?? .now + Self.answerTimeout) { return hub }
            if let lostHub { throw CallFailure(.refused, lostHub) }
            guard hasEnded else { return nil }
            throw CallFailure(.refused, "the \(title) has ended")
        }
    }

    /// Asks the feature behind a channel, at the node that serves the channel at the time of each attempt.
    ///
    /// - Parameters:
    ///   - question: The encoded question.
    ///   - channel: The number of the channel.
    ///   - context: The deadline, the trace and the event of the question.
    ///   - server: Returns the node at the other end of the channel's session, or `nil` if there is none at the moment.
    ///     It throws an error if there never will be one.
    /// - Returns: The answer, or an outcome that describes the failure.
    package func ask(
        _ question: [UInt8],
        on channel: UInt32,
        _ context: CallContext,
        at server: () async throws(CallFailure) -> NodeID?
    ) async -> CallOutcome {
        // The question has one span, however often it is repeated.
        let method = TracedCall.calling(method: CallMethod.operation(.ask).name)
        guard tracesCalls, let span = beginSpan(method, in: context.trace) else {
            return await repeatedly(ask: question, on: channel, context, at: server)
        }
        let traced = context.within(span, isCurrent: false)
        let outcome = await repeatedly(ask: question, on: channel, traced, at: server)
        span.end(SpanEnd(outcome))
        return outcome
    }

    private func repeatedly(
        ask question: [UInt8],
        on channel: UInt32,
        _ context: CallContext,
        at server: () async throws(CallFailure) -> NodeID?
    ) async -> CallOutcome {
        var tries = QuestionTries()
        while true {
            var outcome = CallOutcome.failure(.noNode)
            do throws(CallFailure) {
                if let server = try await server() {
                    outcome = await ask(
                        OutgoingCall(.ask, about: UInt64(channel), at: server, arguments: question, context: context)
                    )
                }
            } catch {
                return .failed(error)
            }
            if case .end(let outcome) = tries.next(after: outcome, isCancelled: Task.isCancelled) { return outcome }
            // A cancelled wait throws. The check below ends the question then.
            try? await ContinuousClock().wait(for: Self.pause)
            if Task.isCancelled { return .failure(.cancelled) }
            if context.deadline.hasPassed { return .deadlinePassed(mayHaveBegun: false) }
        }
    }

    /// Returns the node at the other end of a session.
    package func peer(of session: Session) -> NodeID? {
        core.withLock { core in
            core.callSession(over: session).flatMap { core.table.peer(of: $0.id) }
        }
    }

    func beginAnswering(
        _ question: [UInt8],
        on channel: UInt64,
        _ context: CallContext,
        _ answer: IncomingCall
    ) -> (any RunningCall)? {
        // A channel belongs to the two processes of its session, so a question that was passed on names none here.
        guard case .session(let session, _) = answer.caller, let host = session.questions,
            answer.origin == CallOutbox.direct
        else {
            let reason = "the \(title) serves no channels on this session; ask the process that serves them"
            answer.end(.failure(.refused, reason))
            return nil
        }
        guard let number = UInt32(exactly: channel) else {
            answer.end(.noChannel(channel))
            return nil
        }
        return host.begin(question, on: number, context, answer)
    }
}
