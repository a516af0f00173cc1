import LatticeCore
import Testing

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct EmissionCatchTests {
    /// "go" asks for `emission`; other actions are kept.
    private func run(_ emission: Emission<String>) async -> ([String], EventOutcome) {
        let runtime = makeRuntime([]) { (state: inout [String], action: String) in
            if action == "go" { return emission }
            state.append(action)
            return .none
        }
        let outcome = await runtime.send("go").finish()
        return (runtime.state, outcome)
    }

    @Test("The errors of any effect become actions (W40)")
    func errorsBecomeActions() async {
        let (state, outcome) = await run(.perform { throw Failure(description: "no net") }.catch { "caught \($0)" })
        #expect(state == ["caught no net"])
        #expect(outcome == .finished)
    }

    @Test func aRunKeepsItsSentActions() async {
        let (state, outcome) = await run(
            .run { send in
                await send("sent")
                throw Failure(description: "no net")
            }
            .catch { "caught \($0)" }
        )
        #expect(state == ["sent", "caught no net"])
        #expect(outcome == .finished)
    }

    @Test func aStepWhoseErrorIsCaughtSkipsNothing() async {
        let (state, outcome) = await run(
            .append(.perform { throw Failure(description: "1") }, .perform { "2" }).catch { "caught \($0)" }
        )
        #expect(state == ["caught 1", "2"])
        #expect(outcome == .finished)
    }

    @Test func nothingMayTakeThePlaceOfAnError() async {
        let (state, outcome) = await run(.perform { throw Failure(description: "no net") }.catch { _ in nil })
        #expect(state == [])
        #expect(outcome == .finished)
    }

    @Test("Caught work that is cancelled before it begins never begins (W20)")
    func cancelledBeforeItBegan() async {
        let runs = Shared(0)
        let runtime = makeRuntime(0, effectStart: .held) { (_: inout Int, _: Int) in
            .perform { () throws -> Int? in
                runs.increment()
                throw Failure(description: "no net")
            } catch: { _ in
                1
            }
        }
        let task = runtime.send(1)
        task.cancel()
        runtime.startHeldEffects()
        #expect(await task.finish() == .cancelled)
        #expect(runs.value == 0)
    }

    @Test func theEffectsOwnCancellationIsNotCaught() async {
        let started = Gate()
        let runtime = makeRuntime([]) { (state: inout [Int], action: Int) in
            state.append(action)
            return action == 0
                ? .perform {
                    try await waitForCancellation(started: started)
                    return 1
                }
                .catch { _ in 2 } : .none
        }
        let task = runtime.send(0)
        await started.wait()
        task.cancel()
        #expect(await task.finish() == .cancelled)
        #expect(await runtime.send(3).finish() == .finished)
        #expect(runtime.state == [0, 3])
    }
}
