public import Distributed
import LatticeCalls
import LatticeCoding
import LatticeConcurrency
import LatticeWire

/// Answers a call with the result or the error of its method.
public struct CallResult: DistributedTargetInvocationResultHandler, Sendable {
    /// The requirement on arguments and results of distributed methods.
    public typealias SerializationRequirement = any Codable

    /// The call. It is a single reference, which keeps the tasks that wait for methods small.
    let run: ActorCallRun

    /// Answers the call with the result of its method.
    public func onReturn<Success: Codable>(value: Success) async throws {
        run.answer.resolve()
        await untilRoom()
        end(returning: value)
    }

    /// Waits while the caller has too many unread answers. During that time only the result is in memory, and not its
    /// encoded bytes as well.
    func untilRoom() async {
        if run.answer.isBehind { await run.answer.untilRoom() }
    }

    /// Answers the call with an encoded value or with a stream.
    func end<Success: Encodable>(returning value: Success) {
        do {
            let bytes = try CBOREncoder().encode(value)
            guard bytes.count <= FrameLimits.maximumPayload else {
                let reason =
                    "the result has \(bytes.count) bytes, and at most \(FrameLimits.maximumPayload) are sent; write it"
                    + " to a file and return the name of the file"
                return run.end(.failure(.tooLarge, reason, mayHaveBegun: true))
            }
            run.end(.returned(bytes))
        } catch let elements as StreamedElements {
            // The stream may take any amount of time, so it does not run on the actor's threads. Like any call, it
            // keeps the actor alive.
            let actor = run.actors[run.actor]?.actor
            let task = Task(executorPreference: ThreadPool.shared, priority: .medium) {
                await send(elements)
                withExtendedLifetime(actor) {}
            }
            run.continueRunning(in: task)
        } catch {
            run.end(.failure(.unencodable, "\(error)", mayHaveBegun: true))
        }
    }

    private func send(_ elements: StreamedElements) async {
        let stream = OutgoingStream(run.answer)
        run.use(stream)
        stream.begin()
        do {
            try await elements.send { try await stream.send($0) }
            // Many sequences end without an error when they are cancelled.
            try Task.checkCancellation()
            stream.flush()
            run.end(.returned(nil))
        } catch {
            stream.flush()
            run.end(outcome(throwing: error))
        }
    }

    /// Answers the call of a method that returns nothing.
    public func onReturnVoid() async throws {
        run.answer.resolve()
        endReturning()
    }

    /// Answers a call whose method returns nothing.
    func endReturning() {
        run.end(.returned(nil))
    }

    /// Answers the call with the error of its method.
    public func onThrow<Failure: Error>(error: Failure) async throws {
        // The runtime reports in the same way that it has not found the method.
        if !(error is ExecuteDistributedTargetError) { run.answer.resolve() }
        end(throwing: error)
    }

    /// Answers the call with an error.
    func end(throwing error: any Error) {
        run.end(outcome(throwing: error))
    }

    private func outcome(throwing error: any Error) -> CallOutcome {
        if let error = error as? CallDecoder.Undecodable {
            let reason =
                "argument \(error.argument) of \(RemoteCallTarget(run.method)) cannot be read as \(error.type) by the"
                + " \(run.actors.title); build both programs"
                + " from the same source: \(CodingFailure.sentence(error.cause))"
            return .failure(.undecodable, reason)
        }
        if let error = error as? CallDecoder.Surplus {
            let takes = error.parameters == 1 ? "1 argument" : "\(error.parameters) arguments"
            let reason =
                "the call has more arguments than \(RemoteCallTarget(run.method)) of the \(run.actors.title) takes,"
                + " which is \(takes); build both programs from the same source"
            return .failure(.undecodable, reason)
        }
        if error is CancellationError {
            return run.hasExpired
                ? .deadlinePassed(mayHaveBegun: true) : .failure(.cancelled)
        }
        if let error = error as? StreamedElements.Unsendable { return .failed(error.failure) }
        let type = ErrorTypes.name(of: Swift.type(of: error))
        guard let bytes = run.actors.errors.encoded(error), bytes.count <= FrameLimits.maximumPayload else {
            return .failure(.failed, type: type)
        }
        return .threw(type: type, bytes)
    }
}
