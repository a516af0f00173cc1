import LatticeActors
import LatticeConcurrency

/// Makes the calls of lanes.
struct CallLaneRun: Sendable {
    /// The maximum number of calls of a lane that are in progress.
    private static let window = 16
    /// The time of one search for a name.
    private static let searchTimeout: Duration = .seconds(5)

    let system: LatticeActorSystem
    let pool: ActorPool<ChaosCallee>
    let caller: ChaosCaller
    /// The maximum time to search for an actor.
    let patience: Duration
    let willMake: @Sendable (ChaosCall) -> Void
    let hasEnded: @Sendable (ChaosCall, CallRecord.End) -> Void

    /// Makes the calls of a lane, and returns when all have ended.
    ///
    /// - Throws: ``ChaosError`` if no actor is found.
    func run(_ lane: CallLane) async throws {
        let gone = Locked<Set<LatticeActorID>>([])
        var callee: ChaosCallee?
        var running: [OneShot<Void>] = []
        for call in lane.calls {
            var target: ChaosCallee?
            if !call.isPooled {
                let isThere = callee.map { callee in gone.withLock { !$0.contains(callee.id) } } ?? false
                if call.looksFirst || !isThere { callee = try await find(lane.callee) }
                target = callee
            }
            let ended = begin(call, at: target) { id in gone.withLock { _ = $0.insert(id) } }
            running.append(ended)
            if call.isAwaited { await ended.wait() }
            while running.count >= Self.window { await running.removeFirst().wait() }
        }
        for ended in running { await ended.wait() }
    }

    private func find(_ name: ChaosCallee.Name) async throws -> ChaosCallee {
        let deadline = ContinuousClock.now + patience
        while true {
            do {
                return try await system.resolve(ChaosCallee.self, named: name.rawValue, within: Self.searchTimeout)
            } catch let error as ActorCallError {
                guard ContinuousClock.now < deadline else {
                    throw ChaosError("no worker has served \"\(name.rawValue)\" for \(patience): \(error)")
                }
            }
        }
    }

    /// Begins a call.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - callee: The actor, or nil if the pool chooses it.
    ///   - isGone: Called if the actor does not exist any more.
    private func begin(
        _ call: ChaosCall,
        at callee: ChaosCallee?,
        isGone: @escaping @Sendable (LatticeActorID) -> Void
    ) -> OneShot<Void> {
        willMake(call)
        let ended = OneShot<Void>()
        // The task has no parent, so a call that never ends does not block the round. It begins immediately, so that
        // the calls keep their order.
        let task = Task.immediate {
            if call.cancelling == .before { withUnsafeCurrentTask { $0?.cancel() } }
            let end = await end(of: call, at: callee)
            if let callee, end.isOfEndedProcess { isGone(callee.id) }
            hasEnded(call, end)
            ended.complete(())
        }
        switch call.cancelling {
        case .after(milliseconds: 0): task.cancel()
        case .after(let milliseconds): TimerThread.shared.after(.milliseconds(milliseconds)) { task.cancel() }
        case .never, .before: break
        }
        return ended
    }

    private func end(of call: ChaosCall, at callee: ChaosCallee?) async -> CallRecord.End {
        let question = call.question
        do {
            let answer: ChaosAnswer
            if let timeout = call.timeoutMilliseconds {
                answer = try await withDeadline(.now + .milliseconds(timeout)) {
                    try await ask(question, call.method, callee)
                }
            } else {
                answer = try await ask(question, call.method, callee)
            }
            return .returned(isRight: answer == question.answer)
        } catch {
            return CallRecord.End(error, of: question)
        }
    }

    private func ask(
        _ question: ChaosQuestion,
        _ method: ChaosCall.Method,
        _ callee: ChaosCallee?
    ) async throws -> ChaosAnswer {
        if let callee { return try await ask(question, method, of: callee) }
        return try await pool.call { try await ask(question, method, of: $0) }
    }

    private func ask(
        _ question: ChaosQuestion,
        _ method: ChaosCall.Method,
        of callee: ChaosCallee
    ) async throws -> ChaosAnswer {
        switch method {
        case .answer: try await callee.answer(question)
        case .spin: try await callee.spin(question)
        case .wait: try await callee.wait(question)
        case .fail: try await callee.fail(question)
        case .failUnregistered: try await callee.failUnregistered(question)
        case .callBack: try await callee.callBack(question, caller)
        case .die: try await callee.die(question)
        }
    }
}

extension CallRecord.End {
    /// A Boolean value that indicates whether the process of the called actor has ended.
    fileprivate var isOfEndedProcess: Bool {
        if case .lacksAnswer(.lost, _) = self { return true }
        if case .lacksAnswer(.unknownProcess, _) = self { return true }
        return false
    }
}
