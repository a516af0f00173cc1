import LatticeCore
import Testing

@Suite(.timeLimit(.minutes(10)))
struct HeldEffectsTests {
    /// A runtime on an actor that is not the main actor, as a worker has it.
    private func makeRuntime(on host: Host) async -> FeatureRuntime<[Int], Int> {
        await host.run { host in
            FeatureRuntime(
                initialState: [],
                interactor: Interact { (state: inout [Int], action: Int) in
                    host.assertIsolated()
                    state.append(action)
                    return action == 0 ? .none : .perform { action - 1 }
                },
                isolation: host,
                effectStart: .held,
                areStatesEqual: { $0 == $1 }
            )
        }
    }

    @Test func effectsWaitForTheHost() async {
        let host = Host()
        let runtime = await makeRuntime(on: host)
        let published = Shared<[[Int]]>([])
        let outcome = Shared<EventOutcome?>(nil)
        let done = Gate()
        let turns = AsyncStream<Void>.makeStream()
        await host.run { _ in
            runtime.onTurn = { [weak runtime] _ in
                guard let state = runtime?.state else { return }
                published.update { $0.append(state) }
                turns.continuation.yield()
            }
            let task = runtime.send(2, in: EventContext(id: .sample(1)))
            task.onCompletion { result in
                outcome.update { $0 = result }
                done.open()
            }
        }
        // One effect at a time: the state that asked for it is out before it starts.
        var seen = 0
        for await _ in turns.stream {
            seen += 1
            #expect(published.value.count == seen)
            if seen == 3 { break }
            await host.run { _ in runtime.startHeldEffects() }
        }
        await done.wait()
        #expect(published.value == [[2], [2, 1], [2, 1, 0]])
        #expect(outcome.value == .finished)
    }

    @Test func theOutcomeComesAfterTheState() async {
        let host = Host()
        let runtime = await makeRuntime(on: host)
        let log = Shared<[String]>([])
        let done = Gate()
        await host.run { _ in
            runtime.onTurn = { _ in log.update { $0.append("turn") } }
            runtime.send(1).onCompletion { outcome in
                log.update { $0.append("\(outcome)") }
                done.open()
            }
            runtime.startHeldEffects()
        }
        await done.wait()
        #expect(log.value == ["turn", "turn", "finished"])
    }
}
