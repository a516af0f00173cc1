import LatticeCalls
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeWire

/// Answers to questions.
extension FeatureServer {
    func answer(_ question: [UInt8], _ callContext: CallContext, _ answer: IncomingCall) -> (any RunningCall)? {
        guard let feature = Feature.self as? any AnsweringFeature.Type else {
            let reason = "The feature \"\(Feature.identifier)\" answers no questions. Make it an AnsweringFeature."
            answer.end(.failure(.refused, reason))
            return nil
        }
        return begin(feature, question, callContext, answer)
    }

    private func begin<Answering: AnsweringFeature>(
        _ feature: Answering.Type,
        _ question: [UInt8],
        _ callContext: CallContext,
        _ answer: IncomingCall
    ) -> (any RunningCall)? {
        guard let state = runtime.state as? Answering.DomainState else {
            preconditionFailure("The state of the runtime does not have the feature's type.")
        }
        guard answering.begin() else {
            answer.end(.tooManyQuestions(FeatureAnswering.maximumAnswers))
            return nil
        }
        return QuestionRun(answer) { [context, answering] in
            defer { answering.end() }
            return await FeatureAnswering.answer(question, of: feature, from: state, in: context, callContext)
        }
    }
}
