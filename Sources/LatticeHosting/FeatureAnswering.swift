import LatticeCoding
import LatticeConcurrency
package import LatticeCore
package import LatticeSession
package import LatticeWire

/// Questions and answers of a feature as bytes.
package enum FeatureAnswering {
    /// Answers of one instance that are being made at a time; each keeps a copy of the state, and a thread if it
    /// computes.
    package static let maximumAnswers = 256

    /// Asks, and reads the answer.
    ///
    /// - Parameter send: Sends the encoded question, and returns how it was answered.
    package static func ask<Feature: AnsweringFeature>(
        _ question: Feature.Question,
        of feature: Feature.Type,
        _ send: @Sendable ([UInt8]) async -> ActorReply
    ) async throws -> Feature.Answer {
        let encoded: [UInt8]
        do {
            encoded = try CBOREncoder().encode(question)
        } catch {
            throw QuestionError(.uncodable, "the question to \"\(feature.identifier)\" cannot be encoded", cause: error)
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
            let sentence = "the answer of \"\(feature)\" cannot be read; build both programs from the same source"
            throw QuestionError(.uncodable, sentence, cause: error)
        }
    }

    /// Answers from a state.
    ///
    /// - Parameter state: Of the feature.
    package static func answer<Feature: AnsweringFeature>(
        _ question: [UInt8],
        of feature: Feature.Type,
        from state: Feature.DomainState,
        in context: HostContext,
        _ terms: CallContext
    ) async -> ActorReply {
        let read: Feature.Question
        do {
            read = try CBORDecoder().decode(Feature.Question.self, from: question)
        } catch {
            let reason = "the question cannot be read: \(CodingFailure.sentence(error))"
            return ActorReply(call: 0, code: .undecodable, reason: reason)
        }
        let answer = await terms.around { () async -> Result<_, Feature.AnswerFailure> in
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
                    "the answer has \(bytes.count) bytes, and at most \(FrameLimits.maximumPayload) are sent; ask for less"
                return ActorReply(call: 0, code: .tooLarge, reason: reason, mayHaveBegun: true)
            }
            return ActorReply(call: 0, code: code, value: bytes)
        } catch {
            let reason = "the answer cannot be encoded: \(CodingFailure.sentence(error))"
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
        self.init(code, "\"\(feature)\" has not answered the question: \(reply.reason ?? "no reason was given")")
    }
}
