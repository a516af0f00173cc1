package import LatticeCalls
import LatticeCoding
import LatticeConcurrency
package import LatticeCore
package import LatticeSession
import LatticeWire

/// The encoding and decoding of a feature's questions and answers.
package enum FeatureAnswering {
    /// The maximum number of answers of one instance that are computed at a time. Each answer keeps a copy of the
    /// state, and a thread while it computes.
    package static let maximumAnswers = 256

    /// Asks a question and decodes the answer.
    ///
    /// - Parameters:
    ///   - question: The question.
    ///   - feature: The feature to ask.
    ///   - send: Sends the encoded question and returns the outcome.
    /// - Throws: The failure of the feature, `QuestionError`, or `CancellationError`.
    package static func ask<Feature: AnsweringFeature>(
        _ question: Feature.Question,
        of feature: Feature.Type,
        _ send: @Sendable ([UInt8]) async -> CallOutcome
    ) async throws -> Feature.Answer {
        let encoded: [UInt8]
        do {
            encoded = try CBOREncoder().encode(question)
        } catch {
            throw QuestionError(
                .uncodable,
                "The question to \"\(feature.identifier)\" cannot be encoded.",
                cause: error
            )
        }
        switch await send(encoded) {
        case .returned(let bytes): return try read(Feature.Answer.self, in: bytes, of: feature.identifier)
        case .threw(_, let bytes): throw try read(Feature.AnswerFailure.self, in: bytes, of: feature.identifier)
        case .failed(let failure):
            switch failure.code {
            case .cancelled: throw CancellationError()
            case .deadline: throw QuestionError.deadlinePassed(of: feature.identifier)
            default: throw QuestionError(failure, of: feature.identifier)
            }
        }
    }

    private static func read<Value: Decodable>(
        _ type: Value.Type,
        in bytes: [UInt8]?,
        of feature: String
    ) throws -> Value {
        do {
            return try CBORDecoder().decode(type, from: bytes ?? [])
        } catch {
            let sentence = "The answer of \"\(feature)\" cannot be decoded. Build both programs from the same source."
            throw QuestionError(.uncodable, sentence, cause: error)
        }
    }

    /// Answers a question from a state.
    ///
    /// - Parameters:
    ///   - question: The encoded question.
    ///   - feature: The feature to ask.
    ///   - state: The domain state of the feature.
    ///   - context: The context of the instance.
    ///   - callContext: The context of the call, with which the answer is computed.
    /// - Returns: The outcome, which contains the encoded answer or the reason for its absence.
    package static func answer<Feature: AnsweringFeature>(
        _ question: [UInt8],
        of feature: Feature.Type,
        from state: Feature.DomainState,
        in context: HostContext,
        _ callContext: CallContext
    ) async -> CallOutcome {
        let read: Feature.Question
        do {
            read = try CBORDecoder().decode(Feature.Question.self, from: question)
        } catch {
            let reason = "The question cannot be decoded: \(CodingFailure.sentence(error))"
            return .failure(.undecodable, reason)
        }
        let answer = await callContext.around { () async -> Result<_, Feature.AnswerFailure> in
            do throws(Feature.AnswerFailure) {
                return .success(try await Feature.answer(read, from: state, in: context))
            } catch {
                return .failure(error)
            }
        }
        return switch answer {
        case .success(let answer): encoded(answer) { .returned($0) }
        case .failure(let failure): encoded(failure) { .threw(type: "", $0) }
        }
    }

    private static func encoded(_ value: some Encodable, _ outcome: ([UInt8]) -> CallOutcome) -> CallOutcome {
        do {
            let bytes = try CBOREncoder().encode(value)
            guard bytes.count <= FrameLimits.maximumPayload else {
                let reason =
                    "The answer has \(bytes.count) bytes, but at most \(FrameLimits.maximumPayload) can be sent."
                    + " Ask for less."
                return .failure(.tooLarge, reason, mayHaveBegun: true)
            }
            return outcome(bytes)
        } catch {
            let reason = "The answer cannot be encoded: \(CodingFailure.sentence(error))"
            return .failure(.unencodable, reason, mayHaveBegun: true)
        }
    }
}

extension QuestionError {
    fileprivate init(_ failure: CallFailure, of feature: String) {
        let code: Code =
            switch failure.code {
            case .interrupted: .interrupted
            case .undecodable, .unencodable: .uncodable
            case .tooLarge: .tooLarge
            case .overloaded: .overloaded
            default: .notServed
            }
        self.init(code, "\"\(feature)\" did not answer the question: \(failure.reason ?? "No reason was given.")")
    }
}
