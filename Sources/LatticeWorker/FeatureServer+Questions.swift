import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeWire

extension FeatureServer {
    func answer(_ question: [UInt8], _ terms: CallContext, _ answer: IncomingCall) -> (any RunningCall)? {
        guard let feature = Feature.self as? any AnsweringFeature.Type else {
            let reason = "the feature answers no questions; let it be an AnsweringFeature"
            answer.end(ActorReply(call: 0, code: .refused, reason: reason))
            return nil
        }
        return begin(feature, question, terms, answer)
    }

    private func begin<Answering: AnsweringFeature>(
        _ feature: Answering.Type,
        _ question: [UInt8],
        _ terms: CallContext,
        _ answer: IncomingCall
    ) -> (any RunningCall)? {
        guard let state = runtime.state as? Answering.DomainState else {
            preconditionFailure("A feature has the state of itself.")
        }
        guard answering.begin() else {
            answer.end(.tooManyQuestions(FeatureAnswering.maximumAnswers))
            return nil
        }
        return QuestionRun(answer) { [context, answering] in
            defer { answering.end() }
            return await FeatureAnswering.answer(question, of: feature, from: state, in: context, terms)
        }
    }
}
