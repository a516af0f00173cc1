import LatticeCoding
import LatticeConcurrency
package import LatticeCore
package import LatticeSession
package import LatticeWire

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
    ///   - send: Sends the encoded question and returns the reply.
    /// - Throws: The failure of the feature, `QuestionError`, or `CancellationError`.
    package static func ask<Feature: AnsweringFeature>(
        _ question: Feature.Question,
        of feature: Feature.Type,
        _ send: @Sendable ([UInt8]) async -> ActorReply
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
        let reply = await send(encoded)
        switch reply.code {
        case .returned: return try read(Feature.Answer.self, in: reply, of: feature.identifier)
        case .threw: throw try read(Feature.AnswerFailure.self, in: reply, of: feature.identifier)
        case .cancelled: throw CancellationError()
        case .deadline: throw QuestionError.deadlinePassed(of: feature.identifier)
        default: throw QuestionError(reply, of: feature.identifier)
        }
    }

    private static func read<Value: Decodable>(
        _ type: Value.Type,
        in reply: ActorReply,
        of feature: String
    ) throws -> Value {
        do {
            return try CBORDecoder().decode(type, from: reply.value ?? [])
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
    /// - Returns: The reply, which contains the encoded answer or the reason for its absence.
    package static func answer<Feature: AnsweringFeature>(
        _ question: [UInt8],
        of feature: Feature.Type,
        from state: Feature.DomainState,
        in context: HostContext,
        _ callContext: CallContext
    ) async -> ActorReply {
        let read: Feature.Question
        do {
            read = try CBORDecoder().decode(Feature.Question.self, from: question)
        } catch {
            let reason = "The question cannot be decoded: \(CodingFailure.sentence(error))"
            return ActorReply(call: 0, code: .undecodable, reason: reason)
        }
        let answer = await callContext.around { () async -> Result<_, Feature.AnswerFailure> in
            do throws(Feature.AnswerFailure) {
                return .success(try await Feature.answer(read, from: state, in: context))
            } catch {
                return .failure(error)
            }
        }
        return switch answer {
        case .success(let answer): reply(.returned, answer)
        case .failure(let failure): reply(.threw, failure)
        }
    }

    private static func reply(_ code: ReplyCode, _ value: some Encodable) -> ActorReply {
        do {
            let bytes = try CBOREncoder().encode(value)
            guard bytes.count <= FrameLimits.maximumPayload else {
                let reason =
                    "The answer has \(bytes.count) bytes, but at most \(FrameLimits.maximumPayload) can be sent."
                    + " Ask for less."
                return ActorReply(call: 0, code: .tooLarge, reason: reason, mayHaveBegun: true)
            }
            return ActorReply(call: 0, code: code, value: bytes)
        } catch {
            let reason = "The answer cannot be encoded: \(CodingFailure.sentence(error))"
            return ActorReply(call: 0, code: .unencodable, reason: reason, mayHaveBegun: true)
        }
    }
}

extension QuestionError {
    fileprivate init(_ reply: ActorReply, of feature: String) {
        let code: Code =
            switch reply.code {
            case .interrupted: .interrupted
            case .undecodable, .unencodable: .uncodable
            case .tooLarge: .tooLarge
            case .overloaded: .overloaded
            default: .notServed
            }
        self.init(code, "\"\(feature)\" did not answer the question: \(reply.reason ?? "No reason was given.")")
    }
}
