import LatticeActors
import LatticeConcurrency

/// Makes the calls of lanes.
struct CallLaneRun: Sendable {
    /// Calls of a lane that have not ended, at most.
    private static let window = 16
    /// How long a name is looked for at once.
    private static let searchTimeout: Duration = .seconds(5)

    let system: LatticeActorSystem
    let pool: ActorPool<ChaosCallee>
    let caller: ChaosCaller
    /// How long somebody may be looked for who can be called.
    let patience: Duration
    let willMake: @Sendable (ChaosCall) -> Void
    let hasEnded: @Sendable (ChaosCall, CallRecord.End) -> Void

    /// Returns when all calls have ended.
    ///
    /// - Throws: ``ChaosError`` if nobody is found who can be called.
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
                    throw ChaosError("nobody serves \"\(name.rawValue)\" for \(patience): \(error)")
                }
            }
        }
    }

    /// - Parameters:
    ///   - callee: nil: the pool says who.
    ///   - isGone: Called for an actor that there is no more.
    private func begin(
        _ call: ChaosCall,
        at callee: ChaosCallee?,
        isGone: @escaping @Sendable (LatticeActorID) -> Void
    ) -> OneShot<Void> {
        willMake(call)
        let ended = OneShot<Void>()
        // Parentless: one that never ends does not keep the round from telling of it. At once: in the order of calls.
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
            if let limit = call.limitMilliseconds {
                answer = try await withDeadline(.milliseconds(limit)) { try await ask(question, call.method, callee) }
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
        case .failUntold: try await callee.failUntold(question)
        case .callBack: try await callee.callBack(question, caller)
        case .die: try await callee.die(question)
        }
    }
}

extension CallRecord.End {
    /// Whether the actor that was called is no more.
    fileprivate var isOfEndedProcess: Bool {
        if case .lacksAnswer(.lost, _) = self { return true }
        if case .lacksAnswer(.unknownProcess, _) = self { return true }
        return false
    }
}
