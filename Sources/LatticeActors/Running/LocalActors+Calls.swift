import Distributed
import LatticeCalls
import LatticeConcurrency
import LatticeHosting
import LatticeSession
import LatticeWire

/// Incoming calls from other processes.
extension LocalActors: CallHost {
    func hasActor(_ number: UInt64) -> Bool { self[number]?.actor != nil }

    func methods(of number: UInt64) -> StableMethodList? {
        guard let local = self[number], local.actor != nil else { return nil }
        return local.table?.list ?? StableMethodList(methods: [])
    }

    func nodeEnded() { releaseAll() }

    func begin(_ call: ActorCall, _ context: CallContext, _ answer: IncomingCall) -> (any RunningCall)? {
        guard let local = self[call.actor] else {
            answer.end(.noActor(call.actor, at: title))
            return nil
        }
        guard !context.deadline.hasPassed else {
            answer.end(.deadlinePassed(mayHaveBegun: false))
            return nil
        }
        let method = StableNames.isMangled(call.method.name) ? nil : local.table?.calls[call.method.name]
        if method != nil { answer.resolve() }
        // Calls from this process have their own tasks, which inherit the context of the caller.
        if case .plain(let plain)? = method, answer.readerExecutor != nil {
            return add(call, plain, context, answer, to: local)
        }
        guard let actor = local.actor else {
            answer.end(.noActor(call.actor, at: title))
            return nil
        }
        let types: MethodTypes?
        do throws(CallFailure) {
            types = method == nil ? try methodTypes(of: call, on: actor, local.table) : nil
        } catch {
            answer.end(.failed(error))
            return nil
        }
        local.closeBatch()
        let run = ActorCallRun(call, answer, of: self)
        run.expire(at: context.deadline)
        let arguments = CallDecoder(call.arguments, of: types, for: self)
        let executor = local.executor(for: answer)
        if local.readsCall {
            run.begin(
                Self.begin(on: executor) {
                    await CurrentCall.$run.withValue(run) {
                        await context.around { await Self.run(run, method, arguments, on: actor) }
                    }
                }
            )
        } else {
            run.begin(
                Self.begin(on: executor) {
                    await context.around { await Self.run(run, method, arguments, on: actor) }
                }
            )
        }
        return run
    }

    /// Adds a call of a synchronous method to a batch.
    private func add(
        _ call: ActorCall,
        _ method: @escaping StableMethod.Plain,
        _ context: CallContext,
        _ answer: IncomingCall,
        to local: LocalActor
    ) -> (any RunningCall)? {
        let run = ActorCallRun(call, answer, of: self, isBatched: true)
        run.expire(at: context.deadline)
        switch local.add(CallBatch.Call(run: run, method: method, arguments: call.arguments, context: context)) {
        case .added: break
        case .begin(let batch, let actor): Self.begin(on: local.executor(for: answer)) { await batch.run(on: actor) }
        case .refuse:
            run.end(.noActor(call.actor, at: title))
            return nil
        }
        return run
    }

    /// Starts a task that immediately enters the actor's queue. This keeps calls in the order of their arrival.
    @discardableResult
    private static func begin(
        on executor: (any TaskExecutor)?,
        _ operation: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        ThreadPool.begin { Task.immediate(priority: .medium, executorPreference: executor, operation: operation) }
    }

    /// Runs a method in the current task.
    ///
    /// - Parameters:
    ///   - run: The call.
    ///   - method: The closure that calls the method, or nil if the Swift runtime looks the method up by its name.
    ///   - arguments: Decodes the arguments.
    ///   - actor: The actor.
    nonisolated(nonsending) private static func run(
        _ run: ActorCallRun,
        _ method: StableMethod.Run?,
        _ arguments: CallDecoder,
        on actor: any DistributedActor
    ) async {
        let result = CallResult(run: run)
        guard let method else {
            guard let system = run.actors.system else { return run.end(.noActor(run.actor, at: run.actors.title)) }
            do {
                try arguments.checkUnasked()
            } catch {
                return result.end(throwing: error)
            }
            do {
                var arguments = arguments
                try await system.executeDistributedTarget(
                    on: actor,
                    target: RemoteCallTarget(run.method),
                    invocationDecoder: &arguments,
                    handler: result
                )
            } catch {
                run.end(.failed(run.actors.noMethod(run.method, of: actor)))
            }
            return
        }
        do {
            try await method.callFromAnywhere(actor, arguments, result)
        } catch {
            result.end(throwing: error)
        }
    }

    // MARK: Calls that are refused

    /// Returns the types of a method that the Swift runtime looks up by its name.
    private func methodTypes(
        of call: ActorCall,
        on actor: any DistributedActor,
        _ table: StableTable?
    ) throws(CallFailure) -> MethodTypes {
        guard StableNames.isMangled(call.method.name) else {
            throw noStableMethod(call.method.name, of: actor, table)
        }
        let found: MethodTypes?
        do {
            found = try types.types(of: call.method.name, call.substitutions ?? [], on: actor)
        } catch {
            let reason =
                "\(RemoteCallTarget(call.method.name)) cannot be called with a type that the \(title) has not registered"
                + " for generic methods; register it there with register(types:): "
                + ((error as? TypeNames.UnknownType)?.name ?? "\(error)")
            throw CallFailure(.undecodable, reason)
        }
        guard let found else { throw noMethod(call.method.name, of: actor) }
        return found
    }

    private func noStableMethod(_ name: String, of actor: any DistributedActor, _ table: StableTable?) -> CallFailure {
        let reason =
            table?.reason(without: name, at: title)
            ?? "the actor \(type(of: actor as any DistributedActor)) of the \(title) has no table of stable names,"
            + " where \(name) would be"
        return CallFailure(.noMethod, reason)
    }

    private func noMethod(_ method: String, of actor: any DistributedActor) -> CallFailure {
        let type = "\(type(of: actor as any DistributedActor))"
        guard !TypeNames.isNameless(Swift.type(of: actor as any DistributedActor)) else {
            let reason =
                "the actor's type \(type) is private in the \(title), so its own methods cannot be called from"
                + " elsewhere; make it internal, or call it by a protocol that is @Resolvable"
            return CallFailure(.noMethod, reason)
        }
        let reason =
            "the \(title) has no \(RemoteCallTarget(method)) of its actor \(type); build both programs from the same"
            + " source"
        return CallFailure(.noMethod, reason)
    }
}
