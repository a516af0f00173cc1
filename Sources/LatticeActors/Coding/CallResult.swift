public import Distributed
import LatticeCoding
import LatticeConcurrency
import LatticeSession
import LatticeWire

/// Answers a call with what its method returned or threw.
public struct CallResult: DistributedTargetInvocationResultHandler, Sendable {
    public typealias SerializationRequirement = any Codable

    /// The call: one reference, so that what waits for the method is small.
    let run: ActorCallRun

    public func onReturn<Success: Codable>(value: Success) async throws {
        await untilRoom()
        end(returning: value)
    }

    /// Waits while the caller has too many other answers to read: until then there is the result alone, and not its
    /// bytes too.
    func untilRoom() async {
        if run.answer.isBehind { await run.answer.untilRoom() }
    }

    func end<Success: Encodable>(returning value: Success) {
        do {
            let bytes = try CBOREncoder().encode(value)
            guard bytes.count <= FrameLimits.maximumPayload else {
                let reason =
                    "the result has \(bytes.count) bytes, and at most \(FrameLimits.maximumPayload) are sent; put it into"
                    + " a file whose name is returned"
                return run.end(ActorReply(call: 0, code: .tooLarge, reason: reason, mayHaveBegun: true))
            }
            run.end(ActorReply(call: 0, code: .returned, value: bytes))
        } catch let elements as StreamedElements {
            // Not where methods run: nobody knows how long it goes on. It keeps the actor, as any call does.
            let actor = run.actors[run.actor]?.actor
            let task = Task(executorPreference: ThreadPool.shared, priority: .medium) {
                await send(elements)
                withExtendedLifetime(actor) {}
            }
            run.goOn(in: task)
        } catch {
            run.end(ActorReply(call: 0, code: .unencodable, reason: "\(error)", mayHaveBegun: true))
        }
    }

    private func send(_ elements: StreamedElements) async {
        let stream = OutgoingStream(run.answer)
        run.use(stream)
        stream.begin()
        do {
            try await elements.send { try await stream.send($0) }
            // Many sequences just end when they are cancelled.
            try Task.checkCancellation()
            stream.flush()
            run.end(ActorReply(call: 0, code: .returned))
        } catch {
            stream.flush()
            run.end(reply(throwing: error))
        }
    }

    public func onReturnVoid() async throws {
        endReturning()
    }

    func endReturning() {
        run.end(ActorReply(call: 0, code: .returned))
    }

    public func onThrow<Failure: Error>(error: Failure) async throws {
        end(throwing: error)
    }

    func end(throwing error: any Error) {
        run.end(reply(throwing: error))
    }

    private func reply(throwing error: any Error) -> ActorReply {
        if let error = error as? CallDecoder.Undecodable {
            let reason =
                "argument \(error.argument) of \(RemoteCallTarget(run.method)) cannot be read as \(error.type) by the"
                + " \(run.actors.title); build both programs"
                + " from the same source: \(CodingFailure.sentence(error.cause))"
            return ActorReply(call: 0, code: .undecodable, reason: reason)
        }
        if let error = error as? CallDecoder.Surplus {
            let takes = error.parameters == 1 ? "1 argument" : "\(error.parameters) arguments"
            let reason =
                "the call has more arguments than \(RemoteCallTarget(run.method)) of the \(run.actors.title) takes, which"
                + " is \(takes); build both programs from the same source"
            return ActorReply(call: 0, code: .undecodable, reason: reason)
        }
        if error is CancellationError {
            return run.hasExpired
                ? ActorReply.deadlinePassed(mayHaveBegun: true) : ActorReply(call: 0, code: .cancelled)
        }
        if let error = error as? StreamedElements.Unsendable { return error.reply }
        let type = ErrorTypes.name(of: Swift.type(of: error))
        guard let bytes = run.actors.errors.encoded(error), bytes.count <= FrameLimits.maximumPayload else {
            return ActorReply(call: 0, code: .failed, type: type)
        }
        return ActorReply(call: 0, code: .threw, value: bytes, type: type)
    }
}
