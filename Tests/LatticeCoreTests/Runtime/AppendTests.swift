import Testing

@testable import LatticeCore

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct AppendTests {
    /// The state is a log; action "go" emits `emission`, action "load N" has an effect of its own.
    private func run(_ emission: Emission<String>) async -> ([String], EventOutcome) {
        let runtime = makeRuntime([]) { (state: inout [String], action: String) in
            if action == "go" { return emission }
            state.append(action)
            return action.hasPrefix("load ") ? .perform { "loaded" } : .none
        }
        let outcome = await runtime.send("go").finish()
        #expect(runtime.runningEvents == 0)
        #expect(runtime.turn.groups.isEmpty)
        return (runtime.state, outcome)
    }

    @Test("Leading actions of an append are handled in the same turn (W19)")
    func leadingActionsAreSynchronous() {
        let runtime = makeRuntime([]) { (state: inout [String], action: String) in
            if action == "go" {
                return .append(.action("a"), .action("b"), .perform { "c" }, .action("d"))
            }
            state.append(action)
            return .none
        }
        runtime.send("go")
        #expect(runtime.state == ["a", "b"])
    }

    @Test("An append whose last step starts it again under its own ID finishes, and later steps run")
    func anAppendThatBeginsItselfAnewFinishes() async {
        let runtime = makeRuntime([]) { (state: inout [String], action: String) in
            switch action {
            case "go":
                return .append(.action("round"), .action("done"))
            case "round":
                state.append(action)
                guard state.count < 5 else { return .none }
                return .append(.perform { "polled" }, .action("round")).cancellable(id: "poll", cancelInFlight: true)
            case "done":
                state.append(action)
            default:
                break
            }
            return .none
        }
        let outcome = await runtime.send("go").finish()
        #expect(outcome == .finished)
        #expect(runtime.state == ["round", "round", "round", "round", "round", "done"])
        #expect(runtime.turn.groups.isEmpty)
    }

    @Test("Steps run strictly in order, also after a step without a result, a merge and a stream (contracts 26, 27)")
    func stepsRunInOrder() async {
        let finite = AsyncStream<String> { continuation in
            for element in ["x", "y"] { continuation.yield(element) }
            continuation.finish()
        }
        let (log, outcome) = await run(
            .append(
                .perform { "a" },
                .perform { nil },
                .merge(.perform { "b" }, .perform { "b" }),
                .observe { finite },
                .action("c"),
                .run { send in await send("d") },
                .perform { "e" }
            )
        )
        #expect(log == ["a", "b", "b", "x", "y", "c", "d", "e"])
        #expect(outcome == .finished)
    }

    @Test("A step ends when its whole tree has ended (W19)")
    func aStepEndsWhenItsWholeTreeHas() async {
        let (log, outcome) = await run(.append(.action("load 1"), .perform { "load 2" }, .action("end")))
        #expect(log == ["load 1", "loaded", "load 2", "loaded", "end"])
        #expect(outcome == .finished)
    }

    @Test func nestedAppendsAreStepsOfTheirOwn() async {
        let inner = Emission<String>.append(.perform { "b" }, .perform { "c" })
        let (log, _) = await run(.append(.perform { "a" }, .merge(inner), .perform { "d" }))
        #expect(log == ["a", "b", "c", "d"])
    }

    @Test func aFailingStepSkipsTheRest() async {
        await withKnownIssue {
            let (log, outcome) = await run(
                .merge(
                    .append(.perform { "a" }, .perform { throw Failure(description: "stop") }, .perform { "never" }),
                    .append(.perform { nil }, .perform { nil }, .perform { nil })
                )
            )
            #expect(log == ["a"])
            #expect(outcome == .failed(EffectFailure(type: "Failure", message: "stop")))
        }
    }

    @Test("Cancelling right after sending lets at most the first step through (contract 30)")
    func cancellingAtOnce() async {
        for _ in 0..<20 {
            let runtime = makeRuntime([]) { (state: inout [Int], action: Int) in
                if action == 0 { return .append(.perform { 1 }, .perform { 2 }, .perform { 3 }) }
                state.append(action)
                return .none
            }
            let task = runtime.send(0)
            task.cancel()
            #expect(await task.finish() == .cancelled)
            // Behind whatever still runs of the first step.
            #expect(await runtime.send(9).finish() == .finished)
            #expect(runtime.state.filter { $0 != 9 }.count <= 1)
        }
    }

    @Test func cancellingSkipsTheRest() async {
        let started = Gate()
        let runtime = makeRuntime([]) { (state: inout [String], action: String) in
            if action == "go" {
                return .append(
                    .run { _ in try await waitForCancellation(started: started) },
                    .perform { "never" }
                )
            }
            state.append(action)
            return .none
        }
        let task = runtime.send("go")
        await started.wait()
        task.cancel()
        #expect(await task.finish() == .cancelled)
        #expect(await runtime.send("after").finish() == .finished)
        #expect(runtime.state == ["after"])
    }
}
