import LatticeConcurrency
import LatticeCore
import Synchronization
import Testing

/// Effects that really compute, and what happens beside them: asserted is what did not wait for them, not how long it
/// took. They do it in processes of their own, so that other tests do not wait for them, nor they for others.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct EffectLoadTests {
    @Test(
        "Effects, timeouts, retries, debounces and cancellations do not wait for computing effects (F86)",
        arguments: [2, 8, 64, 512]
    )
    func beside(count: Int) async {
        await #expect(processExitsWith: .success) { [count] in
            await ComputingEffects().checkWhatIsBeside(count, ownTasks: false)
        }
    }

    @Test("Effects also do not wait for tasks of computing effects that occupy all of Swift's threads (F86)")
    func besideOwnTasks() async {
        await #expect(processExitsWith: .success) {
            await ComputingEffects().checkWhatIsBeside(8, ownTasks: true)
        }
    }

    @Test("Tasks of effects that occupy Swift's threads are detected (F86)")
    func swiftThreads() async {
        await #expect(processExitsWith: .success) {
            await ComputingEffects().checkSwiftThreads()
        }
    }
}

/// A feature whose effects compute until they are stopped.
@MainActor
private struct ComputingEffects {
    private enum Action: Sendable {
        case compute(count: Int, ownTasks: Bool), shown(String), ask(Emission<Action>)
    }

    private final class Stop: Sendable {
        private let isOver = Atomic(false)

        func callAsFunction() { isOver.store(true, ordering: .relaxed) }

        func compute() {
            while !isOver.load(ordering: .relaxed) {}
        }
    }

    private let stop = Stop()
    private let runtime: FeatureRuntime<[String], Action>

    init() {
        runtime = makeRuntime([]) { [stop] (state: inout [String], action: Action) in
            switch action {
            case .compute(let count, let ownTasks):
                return .merge(
                    (0..<count).map { _ in
                        .perform {
                            if ownTasks {
                                Task { stop.compute() }
                                Task.detached { stop.compute() }
                            }
                            stop.compute()
                            return nil
                        }
                    }
                )
            case .ask(let emission):
                return emission
            case .shown(let text):
                state.append(text)
                return .none
            }
        }
    }

    func checkWhatIsBeside(_ count: Int, ownTasks: Bool) async {
        let computing = runtime.send(.compute(count: count, ownTasks: ownTasks))
        let attempts = Shared(0)
        let debouncer = Debouncer<ContinuousClock, Action?>(for: .milliseconds(20))
        let throttler = Throttler<ContinuousClock, Action?>(for: .milliseconds(20), edges: .trailing)
        let emissions: [Emission<Action>] = [
            .perform { .shown("effect") },
            .perform { [stop] in
                stop.compute()
                return .shown("too late")
            }
            .timeout(.milliseconds(50)).catch { _ in .shown("timeout") },
            .perform {
                attempts.increment()
                if attempts.value == 1 { throw Failure(description: "once") }
                return .shown("retried")
            }
            .retry(.constant(.milliseconds(20), attempts: 2)),
            .perform { .shown("debounced") }.debounce(using: debouncer),
            .perform { .shown("throttled") }.throttle(using: throttler),
        ]
        // Outside of `#expect`, which would go by way of Swift's threads.
        var outcomes: [EventOutcome] = []
        for emission in emissions { outcomes.append(await runtime.send(.ask(emission)).finish()) }
        computing.cancel()
        outcomes.append(await computing.finish())
        let load = EffectLoad.current
        stop()
        #expect(outcomes == Array(repeating: .finished, count: 5) + [.cancelled])
        #expect(runtime.state == ["effect", "timeout", "retried", "debounced", "throttled"])
        #expect(load.computing > 0)
    }

    func checkSwiftThreads() async {
        let computing = runtime.send(.compute(count: 4, ownTasks: true))
        // Without a yield, which would need one of these threads.
        while await EffectLoad.waitForSwiftThread(atMost: .milliseconds(20)) != nil {}
        stop()
        let outcome = await computing.finish()
        let wait = await EffectLoad.waitForSwiftThread(atMost: .seconds(60))
        #expect(outcome == .finished)
        #expect(wait != nil)
    }
}
