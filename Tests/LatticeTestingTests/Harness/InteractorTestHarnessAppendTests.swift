import LatticeConcurrency
import LatticeCore
import LatticeTesting
import Testing

/// Steps one after the other, as the harness sees them.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct InteractorTestHarnessAppendTests {
    private enum Action: Sendable, Equatable {
        case start
        case step(Int)
    }

    private func makeHarness(_ emission: @escaping @Sendable () -> Emission<Action>) -> InteractorTestHarness<
        [Int], Action
    > {
        InteractorTestHarness(
            initialState: [],
            interactor: Interact<[Int], Action> { state, action in
                switch action {
                case .start: return emission()
                case .step(let step):
                    state.append(step)
                    return .none
                }
            }
        )
    }

    private nonisolated static func steps(_ steps: Int...) -> Emission<Action> {
        .observe {
            AsyncStream { continuation in
                for step in steps { continuation.yield(.step(step)) }
                continuation.finish()
            }
        }
    }

    @Test("Appended performs run strictly in order, and finish waits for all of them (contracts 27, 29)")
    func performsInOrder() async throws {
        let order = Locked<[String]>([])
        let harness = makeHarness {
            .append(
                .perform {
                    order.withLock { $0.append("first begins") }
                    await Task.megaYield(count: 3)
                    order.withLock { $0.append("first ends") }
                    return .step(1)
                },
                .perform {
                    order.withLock { $0.append("second begins") }
                    return .step(2)
                }
            )
        }
        let task = harness.send(.start)
        #expect(task.hasEffects)
        #expect(await task.finish() == .finished)
        #expect(order.withLock(\.self) == ["first begins", "first ends", "second begins"])
        try harness.assertStates([[], [1], [1, 2]])
        try harness.assertActions([.start, .step(1), .step(2)])
    }

    @Test("A merge inside an append is complete before the next step (contract 27)")
    func mergeInside() async throws {
        let harness = makeHarness {
            .append(.merge([.perform { .step(1) }, .perform { .step(2) }]), .perform { .step(3) })
        }
        await harness.sendAndAwait(.start)
        #expect(harness.currentState.count == 3)
        #expect(Set(harness.currentState.prefix(2)) == [1, 2])
        #expect(harness.currentState.last == 3)
    }

    @Test("A finite observe is complete, with its elements in order, before the next step (contract 27)")
    func observeInside() async throws {
        let harness = makeHarness { .append(Self.steps(1, 2, 3), .perform { .step(4) }) }
        await harness.send(.start).finish()
        try harness.assertActions([.start, .step(1), .step(2), .step(3), .step(4)])
        try harness.assertStates([[], [1], [1, 2], [1, 2, 3], [1, 2, 3, 4]])
    }

    @Test("A perform without a result does not block the next step (contract 26)")
    func withoutResult() async throws {
        let harness = makeHarness { Emission<Action>.perform { nil }.then(.perform { .step(2) }) }
        await harness.sendAndAwait(.start)
        try harness.assertStates([[], [2]])
    }

    @Test("Cancelling right after send lets at most the first of three steps through (contract 30)")
    func cancel() async {
        let harness = makeHarness {
            .append(.perform { .step(1) }, .perform { .step(2) }, .perform { .step(3) })
        }
        let task = harness.send(.start)
        task.cancel()
        #expect(task.isCancelled)
        #expect(await task.finish() == .cancelled)
        await harness.finish()
        #expect(harness.currentState.count < 2)
    }
}
