import LatticeCore
import LatticeTesting
import Testing

/// Tests that do not run on the main actor.
@Suite(.timeLimit(.minutes(10)))
struct InteractorTestHarnessIsolationTests {
    @Test("The harness can be used from any isolation, with await (contract 25)")
    func fromAnywhere() async throws {
        let harness = await InteractorTestHarness(
            initialState: CounterInteractor.State(),
            interactor: CounterInteractor()
        )
        await harness.send(.increment)
        await harness.send(.increment, .nothing)
        try await harness.assertStates([0, 1, 2].map { .init(count: $0) })
        await harness.send(.load).finish()
        await harness.sendAndAwait(.load)
        try await harness.assertLatestState(.init(count: 42))
        #expect(await harness.states.count == 7)
        #expect(await harness.receivedActions.last == .loaded(42))
    }

    @Test("The recorder can be used from any isolation, with await (contract 38)")
    func recorder() async throws {
        let recorder = await AsyncStreamRecorder<Int>()
        await recorder.record(AsyncStream { $0.yield(1) })
        try await recorder.waitForNextEmission()
        #expect(await recorder.lastValue == 1)
        recorder.cancelAsync()
    }
}
