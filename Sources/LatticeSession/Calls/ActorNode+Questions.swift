import LatticeConcurrency
package import LatticeWire

/// Questions to features, by the channels that show them.
extension ActorNode {
    /// Before a question is asked again: what is to answer it may be starting.
    private static let pause: Duration = .milliseconds(20)

    /// Asks the feature behind a channel of the session with the node that knows all.
    ///
    /// - Returns: The answer, or why there is none.
    package func ask(_ question: [UInt8], on channel: UInt32, _ terms: CallContext) async -> ActorReply {
        await ask(question, on: channel, terms) { [self] () throws(CallFailure) in
            if let hub = await hub(until: terms.deadline.moment ?? .now + Self.answerTimeout) { return hub }
            if let lostHub { throw CallFailure(ActorReply(call: 0, code: .refused, reason: lostHub)) }
            guard hasEnded else { return nil }
            throw CallFailure(ActorReply(call: 0, code: .refused, reason: "the \(title) has ended"))
        }
    }

    /// The same of whoever serves the channel at the time.
    ///
    /// - Parameter server: The node with whose session the channel is; nil: there is none at the moment. Throws why
    ///   there never will be one.
    package func ask(
        _ question: [UInt8],
        on channel: UInt32,
        _ terms: CallContext,
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
                        terms: terms
                    )
                    reply = await ask(call)
                }
            } catch {
                return error.reply
            }
            if case .end(let reply) = tries.next(after: reply, isCancelled: Task.isCancelled) { return reply }
            // Cancelled: it is asked no more.
            try? await ContinuousClock().wait(for: Self.pause)
            if Task.isCancelled { return ActorReply(call: 0, code: .cancelled) }
            if terms.deadline.hasPassed { return .deadlinePassed(mayHaveBegun: false) }
        }
    }

    /// Which node a session is with.
    package func peer(of session: Session) -> NodeID? {
        core.withLock { core in
            core.link(over: session).flatMap { core.table.peer(of: $0.id) }
        }
    }

    func beginAnswering(
        _ question: ChannelQuestion,
        _ terms: CallContext,
        _ answer: IncomingCall
    ) -> (any RunningCall)? {
        guard case .link(let link, _) = answer.caller, let host = link.questions else {
            let reason = "the \(title) serves no channels on this session; ask whoever opened it"
            answer.end(ActorReply(call: 0, code: .refused, reason: reason))
            return nil
        }
        return host.begin(question, terms, answer)
    }
}

extension ActorReply {
    package static func tooManyQuestions(_ maximum: Int) -> ActorReply {
        ActorReply(
            call: 0,
            code: .overloaded,
            reason: "\(maximum) questions are being answered; wait for some to end"
        )
    }

    /// There is nothing behind a channel to ask.
    package static func noChannel(_ number: UInt32) -> ActorReply {
        ActorReply(call: 0, code: .noActor, reason: "channel \(number) is not open")
    }
}
