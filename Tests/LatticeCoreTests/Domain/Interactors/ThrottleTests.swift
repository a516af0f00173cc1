import LatticeCore
import LatticeTesting
import Testing

/// Asks for an effect for each number below 100 and keeps the others: effects add 100.
private struct Requests: Interactor, Sendable {
    var body: some Interactor<[Int], Int> {
        Interact<[Int], Int> { state, action in
            guard action < 100 else {
                state.append(action)
                return .none
            }
            return .perform { action + 100 }
        }
    }
}

private struct ThrottledInBody: Interactor, Sendable {
    let clock: TestClock
    let edges: ThrottleEdges

    var body: some Interactor<[Int], Int> {
        ThrottleInteractor(for: .seconds(1), clock: clock, edges: edges) {
            Requests()
        }
    }
}

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct ThrottleTests {
    private let clock = TestClock()

    private func makeRuntime(_ interactor: some Interactor<[Int], Int>) -> FeatureRuntime<[Int], Int> {
        FeatureRuntime(
            initialState: [],
            interactor: interactor,
            isolation: MainActor.shared,
            areStatesEqual: { $0 == $1 }
        )
    }

    @Test(
        "A throttle inside a body keeps its period between actions (W1)",
        arguments: [(.leading, [101]), (.trailing, [104]), (.both, [101, 104])] as [(ThrottleEdges, [Int])]
    )
    func insideABody(edges: ThrottleEdges, expected: [Int]) async {
        let runtime = makeRuntime(ThrottledInBody(clock: clock, edges: edges))
        let tasks = (1...4).map { runtime.send($0) }
        await clock.advance(by: .seconds(1))
        for task in tasks { #expect(await task.finish() == .finished) }
        #expect(runtime.state == expected)
    }

    @Test func aSkippedEffectEndsAtOnce() async {
        let runtime = makeRuntime(ThrottledInBody(clock: clock, edges: .both))
        let first = runtime.send(1)
        let second = runtime.send(2)
        let third = runtime.send(3)
        // The clock does not advance.
        #expect(await first.finish() == .finished)
        #expect(await second.finish() == .finished)
        #expect(third.outcome == nil)
        third.cancel()
        #expect(await third.finish() == .cancelled)
    }

    @Test func keysHavePeriodsOfTheirOwn() async {
        let runtime = makeRuntime(
            Interactors.Throttle(for: .seconds(1), clock: clock, edges: .leading, key: { $0.isMultiple(of: 2) }) {
                Requests()
            }
        )
        let tasks = (1...4).map { runtime.send($0) }
        for task in tasks { #expect(await task.finish() == .finished) }
        #expect(runtime.state.sorted() == [101, 102])
    }

    @Test func errorsPass() async {
        let throttler = Throttler<TestClock, Int?>(for: .seconds(1), clock: clock)
        let runtime = LatticeCoreTests.makeRuntime([]) { (state: inout [Int], action: Int) in
            guard action == 0 else {
                state.append(action)
                return .none
            }
            return .perform { throw Failure(description: "7") }.throttle(using: throttler).catch { Int("\($0)") }
        }
        #expect(await runtime.send(0).finish() == .finished)
        #expect(runtime.state == [7])
    }

    @Test func runtimesHavePeriodsOfTheirOwn() async {
        let throttle = Interactors.Throttle(for: .seconds(1), edges: .leading) { Requests() }
        let runtimes = [makeRuntime(throttle), makeRuntime(throttle)]
        for runtime in runtimes {
            #expect(await runtime.send(1).finish() == .finished)
            #expect(runtime.state == [101])
        }
        var state: [Int] = []
        #expect(throttle.interact(state: &state, action: 1).shape == "perform")
    }
}
