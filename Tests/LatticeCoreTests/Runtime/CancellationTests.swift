import Testing

@testable import LatticeCore

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct CancellationTests {
    @Test("An effect that is cancelled before its start never starts (W20, F49)")
    func anEffectCancelledBeforeItsStartNeverStarts() async {
        let starts = Shared(0)
        let runtime = makeRuntime(0, effectStart: .held) { (state: inout Int, action: Int) in
            .perform {
                starts.increment()
                return nil
            }
        }
        let task = runtime.send(1)
        task.cancel()
        runtime.startHeldEffects()
        #expect(task.isCancelled)
        #expect(await task.finish() == .cancelled)
        #expect(await runtime.send(1).finishHeld(by: runtime) == .finished)
        #expect(starts.value == 1)
    }

    @Test("Cancelling reaches the effects of effects (W2, F52)")
    func cancellingReachesEffectsOfEffects() async {
        let started = Gate()
        let ended = Gate()
        let runtime = makeRuntime([]) { (state: inout [Int], action: Int) in
            state.append(action)
            switch action {
            case 0: return .perform { 1 }
            case 1:
                return .run { send in
                    defer { ended.open() }
                    try? await waitForCancellation(started: started)
                    await send(2)
                }
            default: return .none
            }
        }
        let task = runtime.send(0)
        await started.wait()
        #expect(!task.isCancelled)
        task.cancel()
        #expect(await task.finish() == .cancelled)
        await ended.wait()
        #expect(runtime.state == [0, 1])
    }

    @Test("Results of cancelled effects are dropped (contract 44)")
    func resultsOfCancelledEffectsAreDropped() async {
        let started = Gate()
        let gate = Gate()
        let runtime = makeRuntime([]) { (state: inout [Int], action: Int) in
            state.append(action)
            guard action == 0 else { return .none }
            // Does not listen to its cancellation.
            return .perform {
                started.open()
                await gate.wait()
                return 1
            }
        }
        let task = runtime.send(0)
        await started.wait()
        task.cancel()
        // The event has ended and the wait is over, although the effect still runs.
        #expect(task.outcome == .cancelled)
        #expect(await task.finish() == .cancelled)
        gate.open()
        #expect(await runtime.send(2).finish() == .finished)
        #expect(runtime.state == [0, 2])
    }

    @Test("Buffered elements of a cancelled stream are dropped (W20)")
    func bufferedElementsOfACancelledStreamAreDropped() async {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        let runtime = makeRuntime([]) { (state: inout [Int], action: Int) in
            state.append(action)
            return action == 0
                ? .observe { stream }.cancellable(id: "stream") : action == 1 ? .cancel(id: "stream") : .none
        }
        let task = runtime.send(0)
        for element in 1...10 { continuation.yield(element) }
        #expect(await task.finish() == .cancelled)
        #expect(runtime.state == [0, 1])
    }

    @Test("Cancelling the task that waits cancels the tree (W5, F51)")
    func cancellingAWaiterCancelsTheTree() async {
        let started = Gate()
        let ended = Gate()
        let runtime = makeRuntime(0) { (_: inout Int, _: Int) in
            .run { _ in
                defer { ended.open() }
                try await waitForCancellation(started: started)
            }
        }
        let event = runtime.send(1)
        let waiter = Task { await event.finish() }
        await started.wait()
        waiter.cancel()
        #expect(await waiter.value == .cancelled)
        #expect(event.isCancelled)
        await ended.wait()
    }

    @Test("A waiting task that is already cancelled cancels the tree (F51)")
    func aWaiterThatIsCancelledAlreadyCancelsTheTree() async {
        let runtime = makeRuntime(0) { (_: inout Int, _: Int) in .run { _ in try await waitForCancellation() } }
        let event = runtime.send(1)
        let waiter = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await event.finish()
        }
        #expect(await waiter.value == .cancelled)
        #expect(await event.finish() == .cancelled)
    }

    @Test("All waiting tasks get the same outcome (F50)") func manyWaitersHearTheSame() async {
        let gate = Gate()
        let runtime = makeRuntime(0) { (_: inout Int, _: Int) in
            .perform {
                await gate.wait()
                return nil
            }
        }
        let event = runtime.send(1)
        let outcomes = await withTaskGroup(of: EventOutcome.self) { group in
            for _ in 0..<20 { group.addTask { await event.finish() } }
            gate.open()
            var outcomes: [EventOutcome] = []
            for await outcome in group { outcomes.append(outcome) }
            return outcomes
        }
        #expect(outcomes == Array(repeating: .finished, count: 20))
    }

    @Test("Cancelling an ID reaches the effects with that ID and nothing else (W40)")
    func cancelReachesAnIDAndNothingElse() async {
        let started = [Gate(), Gate()]
        let runtime = makeRuntime([]) { (state: inout [String], action: String) in
            state.append(action)
            switch action {
            case "one": return .run { _ in try await waitForCancellation(started: started[0]) }.cancellable(id: 1)
            case "text": return .run { _ in try await waitForCancellation(started: started[1]) }.cancellable(id: "1")
            case "stop": return .cancel(id: 1)
            default: return .none
            }
        }
        let one = runtime.send("one")
        let text = runtime.send("text")
        await started[0].wait()
        await started[1].wait()
        #expect(await runtime.send("stop").finish() == .finished)
        #expect(await one.finish() == .cancelled)
        #expect(!text.isCancelled)
        #expect(runtime.runningEvents == 1)
        text.cancel()
        #expect(await text.finish() == .cancelled)
    }

    @Test func cancelInFlightReplaces() async {
        let runtime = makeRuntime([]) { (state: inout [Int], action: Int) in
            guard action < 10 else {
                state.append(action)
                return .none
            }
            return .perform {
                if action < 2 { try await waitForCancellation() }
                return action + 10
            }
            .cancellable(id: "search", cancelInFlight: true)
        }
        let tasks = (0...2).map { runtime.send($0) }
        #expect(await tasks[0].finish() == .cancelled)
        #expect(await tasks[1].finish() == .cancelled)
        #expect(await tasks[2].finish() == .finished)
        #expect(runtime.state == [12])
        #expect(runtime.turn.groups.isEmpty)
    }

    @Test func cancellingAnIDInsideTheTurnThatAskedForItWins() async {
        let starts = Shared(0)
        let runtime = makeRuntime(0) { (_: inout Int, _: Int) in
            .merge(
                .append(
                    .perform {
                        starts.increment(); return nil
                    },
                    .perform {
                        starts.increment(); return nil
                    }
                )
                .cancellable(id: 1),
                .cancel(id: 1)
            )
        }
        #expect(await runtime.send(1).finish() == .cancelled)
        #expect(starts.value == 0)
        #expect(runtime.turn.groups.isEmpty)
    }

    @Test(
        "Cancelling an append by its ID ends the running step, also through its actions, and no step follows",
        arguments: [false, true]
    )
    func cancellingAnAppendWhoseStepRunsThroughAnAction(isInner: Bool) async {
        let started = Gate()
        let append = Emission<String>.append(.action("load"), .perform { "inner" }).cancellable(id: "append")
        let emission = isInner ? Emission<String>.append(append, .perform { "outer" }) : append
        let runtime = makeRuntime([]) { (state: inout [String], action: String) in
            state.append(action)
            switch action {
            case "go": return emission
            case "load": return .run { _ in try await waitForCancellation(started: started) }
            case "stop": return .cancel(id: "append")
            default: return .none
            }
        }
        let task = runtime.send("go")
        await started.wait()
        #expect(await runtime.send("stop").finish() == .finished)
        #expect(await task.finish() == .cancelled)
        #expect(runtime.state == ["go", "load", "stop"])
        #expect(runtime.turn.groups.isEmpty)
    }

    @Test("Cancelling an append by its ID ends effects of later actions of its step, but not another append")
    func cancellingAnAppendReachesTheWholeTreeOfItsStep() async {
        let started = [Gate(), Gate()]
        let runtime = makeRuntime([]) { (state: inout [String], action: String) in
            state.append(action)
            switch action {
            case "go": return .append(.perform { "a" }, .action("never")).cancellable(id: "append")
            case "a": return .append(.action("b"), .action("never"))
            case "b": return .run { _ in try await waitForCancellation(started: started[0]) }
            case "other": return .append(.action("c"), .action("end")).cancellable(id: "other")
            case "c": return .run { _ in try? await waitForCancellation(started: started[1]) }
            case "stop": return .cancel(id: "append")
            default: return .none
            }
        }
        let task = runtime.send("go")
        let other = runtime.send("other")
        await started[0].wait()
        await started[1].wait()
        runtime.send("stop")
        #expect(await task.finish() == .cancelled)
        #expect(other.outcome == nil)
        other.cancel()
        #expect(await other.finish() == .cancelled)
        #expect(!runtime.state.contains("never"))
        #expect(!runtime.turn.groups.contains(EffectID("append")))
    }

    @Test func theRuntimeContinuesAfterCancelAllFromAnotherThread() async {
        let started = Gate()
        let runtime = makeRuntime(0) { (_: inout Int, action: Int) in
            action == 0 ? .perform { nil } : .run { _ in try await waitForCancellation(started: started) }
        }
        let tasks = [runtime.send(1), runtime.send(1)]
        await started.wait()
        await Task.detached { runtime.cancelAll() }.value
        for task in tasks { #expect(await task.finish() == .cancelled) }
        #expect(runtime.runningEvents == 0)
        #expect(await runtime.send(0).finish() == .finished)
    }

    @Test func aClosedRuntimeRejects() async {
        let runtime = makeRuntime(0) { (state: inout Int, _: Int) in
            state += 1
            return .none
        }
        runtime.close()
        #expect(await runtime.send(1).finish() == .rejected(.closed))
        #expect(runtime.state == 0)
    }

    @Test("A runtime that is released cancels its effects, and its events end cancelled (W21, F54)")
    func aRuntimeThatGoesCancelsItsEffects() async {
        let started = Gate()
        let ended = Gate()
        var runtime: FeatureRuntime<Int, Int>? = makeRuntime(0) { _, _ in
            .run { _ in
                defer { ended.open() }
                try await waitForCancellation(started: started)
            }
        }
        let task = runtime?.send(1)
        await started.wait()
        runtime = nil
        // The wait ends only if the effect itself was cancelled.
        await ended.wait()
        #expect(await task?.finish() == .cancelled)
        #expect(task?.isCancelled == true)
    }

    @Test("A runtime that is released leaves nothing of its effects behind", arguments: [EffectStart.afterTurn, .held])
    func nothingIsLeftOfTheEffects(_ effectStart: EffectStart) async {
        let (released, release) = AsyncStream<Never>.makeStream()
        func run(holding token: Token) async {
            let started = Gate()
            let runtime = makeRuntime(0, effectStart: effectStart) { (_: inout Int, _: Int) in
                .run { _ in
                    defer { withExtendedLifetime(token) {} }
                    try await waitForCancellation(started: started)
                }
                .cancellable(id: 1)
            }
            runtime.send(1)
            if case .afterTurn = effectStart { await started.wait() }
        }
        await run(holding: Token(release))
        // The loop ends only if the closure of the effect is released.
        for await _ in released {}
    }
}

/// Ends a stream when it is released.
private final class Token: Sendable {
    private let release: AsyncStream<Never>.Continuation

    init(_ release: AsyncStream<Never>.Continuation) {
        self.release = release
    }

    deinit {
        release.finish()
    }
}

extension EventTask {
    /// Starts what the runtime holds back, and waits.
    @MainActor
    fileprivate func finishHeld<State, Action>(by runtime: FeatureRuntime<State, Action>) async -> EventOutcome {
        runtime.startHeldEffects()
        return await finish()
    }
}
