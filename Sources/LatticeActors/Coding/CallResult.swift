public import Distributed
import LatticeCoding
import LatticeConcurrency
import LatticeSession
import LatticeWire

/// Answers a call with what its method returned or threw.
public struct CallResult: DistributedTargetInvocationResultHandler {
    public typealias SerializationRequirement = any Codable

    let answer: IncomingCall
    let run: ActorCallRun
    let target: RemoteCallTarget
    /// This process, for people.
    let title: String
    let errors: ErrorTypes

    public func onReturn<Success: Codable>(value: Success) async throws {
        do {
            let bytes = try CBOREncoder().encode(value)
            guard bytes.count <= FrameLimits.maximumPayload else {
                let reason =
                    "the result has \(bytes.count) bytes, and at most \(FrameLimits.maximumPayload) are sent; put it into"
                    + " a file whose name is returned"
                return answer.end(ActorReply(call: 0, code: .tooLarge, reason: reason, mayHaveBegun: true))
            }
            answer.end(ActorReply(call: 0, code: .returned, value: bytes))
        } catch let elements as StreamedElements {
            // Not where short methods run: nobody knows how long it goes on.
            await withTaskExecutorPreference(ThreadPool.shared) { await send(elements) }
        } catch {
            answer.end(ActorReply(call: 0, code: .unencodable, reason: "\(error)", mayHaveBegun: true))
        }
    }

    private func send(_ elements: StreamedElements) async {
        let stream = OutgoingStream(answer)
        run.use(stream)
        stream.begin()
        do {
            try await elements.send { try await stream.send($0) }
            // Many sequences just end when they are cancelled.
            try Task.checkCancellation()
            stream.flush()
            answer.end(ActorReply(call: 0, code: .returned))
        } catch {
            stream.flush()
            answer.end(reply(throwing: error))
        }
    }

    public func onReturnVoid() async throws {
        answer.end(ActorReply(call: 0, code: .returned))
    }

    public func onThrow<Failure: Error>(error: Failure) async throws {
        answer.end(reply(throwing: error))
    }

    private func reply(throwing error: any Error) -> ActorReply {
        if let error = error as? CallDecoder.Undecodable {
            let reason =
                "argument \(error.argument) of \(target) cannot be read as \(error.type) by the \(title); build both programs"
                + " from the same source: \(CodingFailure.sentence(error.cause))"
            return ActorReply(call: 0, code: .undecodable, reason: reason)
        }
        if error is CancellationError {
            return run.hasExpired
                ? ActorReply.deadlinePassed(mayHaveBegun: true) : ActorReply(call: 0, code: .cancelled)
        }
        if let error = error as? StreamedElements.Unsendable { return error.reply }
        let type = ErrorTypes.name(of: Swift.type(of: error))
        guard let bytes = errors.encoded(error), bytes.count <= FrameLimits.maximumPayload else {
            return ActorReply(call: 0, code: .failed, type: type)
        }
        return ActorReply(call: 0, code: .threw, value: bytes, type: type)
    }
}
