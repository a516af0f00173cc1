import LatticeConcurrency
import Synchronization
import Testing

@testable import LatticeCore

/// Effects that really compute, and what happens beside them: asserted is what did not wait for them, not how long it took.
@Suite(.serialized, .timeLimit(.minutes(3)))
@MainActor
struct EffectLoadTests {
    private enum Action: Sendable {
        case compute(count: Int), shown(String), ask(Emission<Action>)
    }

    private final class Stop: Sendable {
        private let isOver = Atomic(false)

        func callAsFunction() { isOver.store(true, ordering: .relaxed) }

        func compute() {
            while !isOver.load(ordering: .relaxed) {}
        }
    }

    private let stop = Stop()

    private func makeRuntime(ownTasks: Bool = false) -> FeatureRuntime<[String], Action> {
        LatticeCoreTests.makeRuntime([]) { [stop] (state: inout [String], action: Action) in
            switch action {
            case .compute(let count):
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

    @Test("An effect, a timeout, a retry, a debounce and a cancel do not wait for what computes", arguments: [2, 8])
    func beside(count: Int) async {
        await check(makeRuntime(), count)
    }

    @Test("Nor for tasks that such effects start, which keep all of Swift's threads")
    func besideOwnTasks() async {
        await check(makeRuntime(ownTasks: true), 8)
    }

    private func check(_ runtime: FeatureRuntime<[String], Action>, _ count: Int) async {
        let computing = runtime.send(.compute(count: count))
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
        #expect(load.computing > 0 && load.computing < load.threads)
    }

    @Test("Where tasks of effects keep Swift's threads, that is seen")
    func swiftThreads() async {
        let runtime = makeRuntime(ownTasks: true)
        let computing = runtime.send(.compute(count: 4))
        while await EffectLoad.waitForSwiftThread(atMost: .milliseconds(20)) != nil { await Task.yield() }
        stop()
        let outcome = await computing.finish()
        let wait = await EffectLoad.waitForSwiftThread(atMost: .seconds(60))
        #expect(outcome == .finished)
        #expect(wait != nil)
    }
}
