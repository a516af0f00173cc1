import Distributed
import LatticeCoding
import LatticeConcurrency
import LatticeHosting
package import LatticeSession
package import LatticeWire

extension LatticeActorSystem {
    // MARK: Made here

    /// - Returns: What the method has returned, encoded.
    /// - Throws: As the method does, and ``ActorCallError``.
    nonisolated(nonsending) func call(
        _ id: LatticeActorID,
        _ type: any DistributedActor.Type,
        _ target: RemoteCallTarget,
        _ invocation: CallEncoder
    ) async throws -> EncodedResult {
        switch await node.call(try outgoing(id, type, target, invocation)) {
        case .reply(let reply):
            if reply.code != .returned { try check(reply, of: "\(target) of \(id)", at: id) }
            return .value(reply.value ?? [])
        case .stream(let stream):
            return .stream(StreamReader(stream, of: "\(target) of \(id)", at: id, self))
        }
    }

    /// Makes a call for whose answer nobody waits.
    nonisolated(nonsending) func send(
        _ id: LatticeActorID,
        _ type: any DistributedActor.Type,
        _ target: RemoteCallTarget,
        _ invocation: CallEncoder
    ) async throws {
        let call = try outgoing(id, type, target, invocation)
        try await oneWay.send(call, to: id, named: "\(target) of \(id)", at: node)
    }

    private func outgoing(
        _ id: LatticeActorID,
        _ type: any DistributedActor.Type,
        _ target: RemoteCallTarget,
        _ invocation: CallEncoder
    ) throws -> OutgoingCall {
        let method = id.hasTable ? stableNames.method(target, invocation, of: type) : target.identifier
        let isStable = invocation.substitutions.isEmpty || !StableNames.isMangled(method)
        return OutgoingCall(
            to: id.number,
            of: id.node,
            method: method,
            arguments: invocation.arguments,
            substitutions: isStable ? [] : try invocation.substitutions.map { try TypeNames.name(of: $0) },
            terms: .current
        )
    }

    /// Throws what a reply says, if it is not that the method has returned.
    ///
    /// - Parameter call: The call, for people.
    func check(_ reply: ActorReply, of call: String, at id: LatticeActorID) throws {
        switch reply.code {
        case .returned: break
        case .threw:
            guard let error = try error(in: reply, call) else {
                throw ActorCallError(ActorReply(call: 0, code: .failed, type: reply.type), call)
            }
            throw error
        case .cancelled where !reply.mayHaveBegun: throw CancellationError()
        default:
            var error = ActorCallError(reply, call)
            error.actor = id
            throw error
        }
    }

    private func error(in reply: ActorReply, _ call: String) throws -> (any Error)? {
        do {
            return try errors.error(named: reply.type ?? "", reply.value ?? [])
        } catch {
            throw ActorCallError.undecodableResult(call, error)
        }
    }

    func decode<Value: Decodable>(_ type: Value.Type, from result: EncodedResult) throws -> Value {
        try CodingContext.$source.withValue(self) {
            switch result {
            case .value(let bytes):
                return try CBORDecoder().decode(type, from: bytes)
            case .stream(let reader):
                let value = try StreamReader.$result.withValue(reader) {
                    // Something to be decoded, in which nobody looks.
                    try CBORDecoder().decode(type, from: [0xa0])
                }
                guard reader.isTaken else { throw StreamReader.Unwanted() }
                return value
            }
        }
    }
}

extension LatticeActorSystem: CodingContextSource {
    /// What references to actors are made with when they are read.
    package var userInfo: [CodingUserInfoKey: any Sendable] { [.actorSystemKey: self] }
}

// MARK: - Made elsewhere

extension LatticeActorSystem: CallHost {
    package func hasActor(_ number: UInt64) -> Bool {
        // Let go of outside of the lock: it may be the last reference, and the end of an actor takes it too.
        let actor = core.withLock { $0.actors[number]?.actor }
        return actor != nil
    }

    package func methods(of number: UInt64) -> StableMethodList? {
        let found = core.withLock { $0.actors[number].map { (actor: $0.actor, table: $0.table) } }
        guard let found, found.actor != nil else { return nil }
        return found.table?.list ?? StableMethodList(methods: [])
    }

    package func nodeEnded() {
        // Outside of the lock: they may be the last references.
        _ = core.withLock { core in
            defer { core.hosted = [:] }
            return core.hosted
        }
    }

    package func begin(
        _ call: ActorCall,
        _ terms: CallTerms,
        _ answer: IncomingCall
    ) -> (any RunningCall)? {
        let found = core.withLock { core in
            core.actors[call.actor].map { (actor: $0.actor, table: $0.table, threads: $0.threads) }
        }
        guard let found, let actor = found.actor else {
            answer.end(.noActor(call.actor, at: node.title))
            return nil
        }
        guard !terms.deadline.hasPassed else {
            answer.end(.deadlinePassed(mayHaveBegun: false))
            return nil
        }
        guard StableNames.isMangled(call.method) else {
            guard let method = found.table?.calls[call.method] else {
                answer.end(noStableMethod(call.method, of: actor, found.table))
                return nil
            }
            let decoder = CallDecoder(call.arguments, substitutions: [], for: self)
            return begin(call.method, method, decoder, on: actor, found.threads, terms, answer)
        }
        let substitutions: [any Any.Type]
        do {
            let types = try types.substitutions(for: call.method, call.substitutions ?? [], of: actor)
            guard let types else {
                answer.end(noMethod(call.method, of: actor))
                return nil
            }
            substitutions = types
        } catch {
            let reason =
                "\(RemoteCallTarget(call.method)) cannot be called with a type that the \(node.title) has not registered for"
                + " generic methods: \((error as? TypeNames.UnknownType)?.name ?? "\(error)")"
            answer.end(ActorReply(call: 0, code: .undecodable, reason: reason))
            return nil
        }
        let decoder = CallDecoder(call.arguments, substitutions: substitutions, for: self)
        return begin(call.method, nil, decoder, on: actor, found.threads, terms, answer)
    }

    /// - Parameter method: What is called; nil: the language looks it up by the name.
    private func begin(
        _ name: String,
        _ method: StableMethod.Run?,
        _ decoder: CallDecoder,
        on actor: any DistributedActor,
        _ threads: ActorThreads,
        _ terms: CallTerms,
        _ answer: IncomingCall
    ) -> ActorCallRun {
        let run = ActorCallRun(name, answer, at: self)
        let reader = threads == .reader ? answer.readerExecutor : nil
        let executor: any TaskExecutor = reader ?? ThreadPool.shared
        // At once, as far as the actor's queue: so calls stand there in the order in which they came.
        let task = ThreadPool.begin {
            Task.immediate(priority: .medium, executorPreference: executor) {
                await terms.around { await Self.run(run, method, decoder, on: actor) }
            }
        }
        run.begin(task, until: terms.deadline)
        return run
    }

    nonisolated(nonsending) private static func run(
        _ run: ActorCallRun,
        _ method: StableMethod.Run?,
        _ decoder: CallDecoder,
        on actor: any DistributedActor
    ) async {
        var decoder = decoder
        let result = CallResult(run: run)
        guard let method else {
            do {
                try await run.system.executeDistributedTarget(
                    on: actor,
                    target: RemoteCallTarget(run.method),
                    invocationDecoder: &decoder,
                    handler: result
                )
            } catch {
                run.end(run.system.noMethod(run.method, of: actor))
            }
            return
        }
        do {
            try await method(actor, &decoder, result)
        } catch {
            result.end(throwing: error)
        }
    }

    private func noStableMethod(_ name: String, of actor: any DistributedActor, _ table: StableTable?) -> ActorReply {
        let reason =
            table?.reason(without: name, at: node.title)
            ?? "the actor \(type(of: actor as any DistributedActor)) of the \(node.title) has no table of stable names, where"
            + " \(name) would be"
        return ActorReply(call: 0, code: .noMethod, reason: reason)
    }

    private func noMethod(_ method: String, of actor: any DistributedActor) -> ActorReply {
        let type = "\(type(of: actor as any DistributedActor))"
        guard !TypeNames.isNameless(Swift.type(of: actor as any DistributedActor)) else {
            let reason =
                "the actor's type \(type) is private in the \(node.title), so its own methods cannot be called from elsewhere;"
                + " make it internal, or call it by a protocol that is @Resolvable"
            return ActorReply(call: 0, code: .noMethod, reason: reason)
        }
        let reason =
            "the \(node.title) has no \(RemoteCallTarget(method)) of its actor \(type); build both programs from the same"
            + " source"
        return ActorReply(call: 0, code: .noMethod, reason: reason)
    }
}

/// What a method has returned.
enum EncodedResult {
    case value([UInt8])
    case stream(StreamReader)
}
