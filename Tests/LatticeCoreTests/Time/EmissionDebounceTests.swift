import LatticeTesting
import Testing

@testable import LatticeCore

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct EmissionDebounceTests {
    private let clock = TestClock()
    private let debouncer: Debouncer<TestClock, Int?>

    init() {
        debouncer = Debouncer(for: .milliseconds(300), clock: clock)
    }

    private func works(of emissions: [Emission<Int>]) -> [@Sendable () async -> Int?] {
        emissions.compactMap { emission in
            guard case .perform(let work) = emission.kind else {
                Issue.record("expected a perform, got \(emission.shape)")
                return nil
            }
            return work
        }
    }

    /// Starts all works, lets the period pass, and gives their results.
    private func results(of emissions: [Emission<Int>]) async -> [Int?] {
        let works = works(of: emissions)
        return await withTaskGroup(of: Int?.self) { group in
            for work in works { group.addTask { await work() } }
            await clock.advance(by: .milliseconds(300))
            var results: [Int?] = []
            for await result in group { results.append(result) }
            return results
        }
    }

    @Test(
        "Emissions without work are not debounced (contract 5)",
        arguments: [
            (.none, "none"),
            (.action(42), "42"),
            (.observe { AsyncStream { $0.finish() } }, "observe"),
            (.cancel(id: 1), "cancel"),
        ] as [(Emission<Int>, String)]
    )
    func passes(emission: Emission<Int>, shape: String) {
        let debounced = emission.debounce(using: debouncer)
        #expect(debounced.shape == shape)
        #expect(debounced.starter == nil)
    }

    @Test("A perform yields its action after the period (contract 6)")
    func delays() async {
        #expect(await results(of: [.perform { 42 }.debounce(using: debouncer)]) == [42])
    }

    @Test("Of three effects that begin together, one runs (contract 7)")
    func coalesces() async {
        let emissions = (1...3).map { number in Emission<Int>.perform { number }.debounce(using: debouncer) }
        let results = await results(of: emissions)
        #expect(results.compactMap(\.self).count == 1)
        #expect(results.filter { $0 == nil }.count == 2)
    }

    @Test("Work without an action still has none (contract 8)")
    func nothing() async {
        #expect(await results(of: [.perform { nil }.debounce(using: debouncer)]) == [nil])
    }

    @Test("Merges and appends keep their children, which share the debouncer (contract 9)")
    func structure() async {
        let children = [Emission<Int>.perform { 1 }, .perform { 2 }]
        for (emission, name) in [(Emission.merge(children), "merge"), (.append(children), "append")] {
            let debounced = emission.debounce(using: debouncer)
            #expect(debounced.shape == "\(name)(perform perform)")
            switch debounced.kind {
            case .merge(let children), .append(let children):
                #expect(await results(of: children).compactMap(\.self).count == 1)
            default:
                Issue.record("expected a \(name)")
            }
        }
        #expect(
            Emission.merge(.none, .action(1), .perform { 2 }.cancellable(id: 1)).debounce(using: debouncer).shape
                == "merge(none 1 cancellable(perform false))"
        )
    }

    @Test func mappingKeepsTheDebounce() async {
        let mapped = Emission<Int>.perform { 1 }.debounce(using: debouncer).map { $0 + 1 }
        #expect(mapped.starter != nil)
        #expect(await results(of: [mapped]) == [2])
    }

    // MARK: - In a runtime

    /// Action n asks for `emission(n)`; actions from 100 on are kept.
    private func makeRuntime(
        _ emission: @escaping @Sendable (Int) -> Emission<Int>
    ) -> FeatureRuntime<[Int], Int> {
        LatticeCoreTests.makeRuntime([]) { (state: inout [Int], action: Int) in
            guard action >= 100 else { return emission(action) }
            state.append(action)
            return .none
        }
    }

    @Test("The action that was handled last wins, whatever the threads do (W11)")
    func order() async {
        for _ in 0..<5 {
            let runtime = makeRuntime { [debouncer] action in
                .perform { action + 100 }.debounce(using: debouncer)
            }
            let tasks = (0..<10).map { runtime.send($0) }
            // Places and deadlines are taken: nothing has to have begun to sleep.
            await clock.advance(by: .milliseconds(300))
            for task in tasks { #expect(await task.finish() == .finished) }
            #expect(runtime.state == [109])
        }
    }

    @Test("The period begins with the start of the effect (W11)")
    func deadline() async {
        let runtime = makeRuntime { [debouncer] action in .perform { action + 100 }.debounce(using: debouncer) }
        let task = runtime.send(1)
        await clock.advance(by: .milliseconds(299))
        #expect(runtime.state == [])
        await clock.advance(by: .milliseconds(1))
        #expect(await task.finish() == .finished)
        #expect(runtime.state == [101])
    }

    @Test func stepsOfAnAppendDoNotSupersedeOneAnother() async {
        let runtime = makeRuntime { [debouncer] _ in
            .append(.perform { 101 }, .perform { 102 }).debounce(using: debouncer)
        }
        let firstStepEnded = Gate()
        runtime.onTurn = { [weak runtime] _ in
            if runtime?.state == [101] { firstStepEnded.open() }
        }
        let task = runtime.send(1)
        await clock.advance(by: .milliseconds(300))
        await firstStepEnded.wait()
        await clock.advance(by: .milliseconds(300))
        #expect(await task.finish() == .finished)
        #expect(runtime.state == [101, 102])
    }

    @Test func aRunIsDebouncedAsAWhole() async {
        let runtime = makeRuntime { [debouncer] action in
            .run { send in
                await send(action + 100)
                await send(action + 200)
            }
            .debounce(using: debouncer)
        }
        let tasks = [runtime.send(1), runtime.send(2)]
        await clock.advance(by: .milliseconds(300))
        for task in tasks { #expect(await task.finish() == .finished) }
        #expect(runtime.state == [102, 202])
    }

    @Test func supersededRunsSendNothingMore() async {
        let started = Gate()
        let goOn = Gate()
        let ended = Gate()
        let runtime = makeRuntime { [debouncer] action in
            guard action == 1 else { return Emission<Int>.perform { action + 100 }.debounce(using: debouncer) }
            return .run { send in
                await send(150)
                started.open()
                await goOn.wait()
                await send(151)
                ended.open()
            }
            .debounce(using: debouncer)
        }
        let first = runtime.send(1)
        await clock.advance(by: .milliseconds(300))
        await started.wait()
        let second = runtime.send(2)
        #expect(await first.finish() == .finished)
        goOn.open()
        await ended.wait()
        await clock.advance(by: .milliseconds(300))
        #expect(await second.finish() == .finished)
        #expect(runtime.state == [150, 102])
    }

    @Test func errorsOfDebouncedWorkFailTheEvent() async {
        let runtime = makeRuntime { [debouncer] _ in
            .perform { throw Failure(description: "no net") }.debounce(using: debouncer)
        }
        await withKnownIssue {
            let task = runtime.send(1)
            await clock.advance(by: .milliseconds(300))
            #expect(await task.finish() == .failed(EffectFailure(type: "Failure", message: "no net")))
        } matching: { issue in
            issue.comments.contains {
                $0.rawValue.contains("An effect threw an error that nothing caught: Failure: no net.")
            }
        }
    }

    @Test("Cancelling an event ends its wait, and the work never runs (W4)")
    func cancelWait() async {
        let runs = Shared(0)
        let runtime = makeRuntime { [debouncer] _ in
            .perform {
                runs.increment()
                return 100
            }
            .debounce(using: debouncer)
        }
        let task = runtime.send(1)
        task.cancel()
        #expect(await task.finish() == .cancelled)
        await clock.advance(by: .seconds(1))
        #expect(runs.value == 0)
        #expect(debouncer.calls.count == 0)
    }

    @Test("Cancelling reaches debounced work (W4)", arguments: ["event", "id", "runtime"])
    func cancelWork(by: String) async {
        let started = Gate()
        let cancelled = Gate()
        var runtime: FeatureRuntime<[Int], Int>? = makeRuntime { [debouncer] action in
            if action == 2 { return .cancel(id: "work") }
            return .perform {
                try? await waitForCancellation(started: started)
                cancelled.open()
                return 100
            }
            .debounce(using: debouncer)
            .cancellable(id: "work")
        }
        let task = runtime?.send(1)
        await clock.advance(by: .milliseconds(300))
        await started.wait()
        switch by {
        case "event": task?.cancel()
        case "id": runtime?.send(2)
        default: runtime = nil
        }
        await cancelled.wait()
        #expect(await task?.finish() == .cancelled)
        #expect(runtime?.state ?? [] == [])
    }

    @Test("An effect that is cancelled before its start does not supersede others (W20)")
    func cancelledBeforeItsStart() async {
        let runtime = makeRuntime { [debouncer] action in
            let effect = Emission<Int>.perform { action + 100 }.debounce(using: debouncer)
            return action == 1 ? effect : .merge(effect.cancellable(id: 1), .cancel(id: 1))
        }
        let first = runtime.send(1)
        #expect(await runtime.send(2).finish() == .cancelled)
        await clock.advance(by: .milliseconds(300))
        #expect(await first.finish() == .finished)
        #expect(runtime.state == [101])
    }

    @Test func debouncedEffectsKnowTheirEvent() async {
        let seen = Shared<EventID?>(nil)
        let runtime = makeRuntime { [debouncer] _ in
            .perform {
                seen.update { $0 = EventID.current }
                return nil
            }
            .debounce(using: debouncer)
        }
        let task = runtime.send(1, in: EventContext(id: .sample(7)))
        await clock.advance(by: .milliseconds(300))
        await task.finish()
        #expect(seen.value == .sample(7))
    }
}
