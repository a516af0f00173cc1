import LatticeConcurrency
package import LatticeSession
package import LatticeWire

/// Questions to features, which name the channel that shows the feature.
extension ActorNode {
    /// The pause before a question is repeated, in which the process that will answer it may finish starting.
    private static let pause: Duration = .milliseconds(20)

    /// Asks the feature behind a channel of the session with the hub.
    ///
    /// - Returns: The answer, or a reply that describes the failure.
    package func ask(_ question: [UInt8], on channel: UInt32, _ context: CallContext) async -> ActorReply {
        await ask(question, on: channel, context) { [self] () throws(CallFailure) in
            if let hub = await hub(until: context.deadline.moment ?? .now + Self.answerTimeout) { return hub }
            if let lostHub { throw CallFailure(ActorReply(call: 0, code: .refused, reason: lostHub)) }
            guard hasEnded else { return nil }
            throw CallFailure(ActorReply(call: 0, code: .refused, reason: "the \(title) has ended"))
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
    /// - Returns: The answer, or a reply that describes the failure.
    package func ask(
        _ question: [UInt8],
        on channel: UInt32,
        _ context: CallContext,
        at server: () async throws(CallFailure) -> NodeID?
    ) async -> ActorReply {
        let question = ChannelQuestion(channel: channel, question: question).bytes
        var tries = QuestionTries()
        while true {
            var reply = ActorReply(call: 0, code: .noNode)
            do throws(CallFailure) {
                if let server = try await server() {
                    let call = OutgoingCall(
                        to: 0,
                        of: server,
                        method: NodeMethod.ask.rawValue,
                        arguments: question,
                        context: context
                    )
                    reply = await ask(call)
                }
            } catch {
                return error.reply
            }
            if case .end(let reply) = tries.next(after: reply, isCancelled: Task.isCancelled) { return reply }
            // A cancelled wait throws. The check below ends the question then.
            try? await ContinuousClock().wait(for: Self.pause)
            if Task.isCancelled { return ActorReply(call: 0, code: .cancelled) }
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
        _ question: ChannelQuestion,
        _ context: CallContext,
        _ answer: IncomingCall
    ) -> (any RunningCall)? {
        guard case .session(let session, _) = answer.caller, let host = session.questions else {
            let reason = "the \(title) serves no channels on this session; ask the process that serves them"
            answer.end(ActorReply(call: 0, code: .refused, reason: reason))
            return nil
        }
        return host.begin(question, context, answer)
    }
}

extension ActorReply {
    /// A reply to a question that is refused because too many others are being answered.
    ///
    /// - Parameter maximum: The number of questions that can be answered at the same time.
    package static func tooManyQuestions(_ maximum: Int) -> ActorReply {
        ActorReply(
            call: 0,
            code: .overloaded,
            reason: "\(maximum) questions are being answered already; wait until some end"
        )
    }

    /// A reply to a question on a channel that is not open.
    package static func noChannel(_ number: UInt32) -> ActorReply {
        ActorReply(call: 0, code: .noActor, reason: "channel \(number) is not open")
    }
}
