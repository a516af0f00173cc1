import Lattice
import LatticeTesting
import Testing

/// The blocks of Testing.md.
@MainActor @Suite(.timeLimit(.minutes(10))) struct TestingTests {
    @Test func stepByStep() async {
        let viewModel = TestViewModel(
            initialDomainState: CounterState(),
            feature: Feature(interactor: CounterInteractor(fetch: { 42 }), reducer: CounterReducer())
        )
        await viewModel.send(.increment) { $0.count = 1 }
        await viewModel.send(.load) { $0.isLoading = true }
        await viewModel.receive(\.loaded) {
            $0.isLoading = false
            $0.count = 42
        }
        viewModel.assertViewState(CounterViewState(text: "42"))
        await viewModel.finish()
    }

    @Test func onlyWhatMatters() async {
        let viewModel = TestViewModel(
            initialDomainState: CounterState(),
            feature: Feature(interactor: CounterInteractor(fetch: { 42 }), reducer: CounterReducer())
        )
        viewModel.exhaustivity = .off(showSkippedAssertions: true)
        await viewModel.send(.load)
        await viewModel.receive(.loaded(42)) { $0.count = 42 }
        await viewModel.finish()
    }

    @Test(arguments: TestPlacement.allCases)
    func uploading(placement: TestPlacement) async throws {
        try await withTestViewModel(of: Upload.self, placement: placement) { uploads in
            await uploads.send(.start(file: "a.txt")) { $0.running = ["a.txt"] }
            await uploads.receive(.ended(file: "a.txt")) { $0 = .init(done: ["a.txt"]) }
            uploads.assertViewState(["a.txt"])
            await uploads.finish()
        }
    }

    @Test func wholeHistory() async {
        let harness = InteractorTestHarness(
            initialState: CounterState(),
            interactor: CounterInteractor(fetch: { 42 })
        )
        harness.send(.increment, .load)
        await harness.finish()
        harness.expectActions([.increment, .load, .loaded(42)])
        harness.expectStates([
            CounterState(),
            CounterState(count: 1),
            CounterState(count: 1, isLoading: true),
            CounterState(count: 42),
        ])
    }

    @Test func whatAViewModelShows() async throws {
        let feature = Feature(interactor: CounterInteractor(fetch: { 42 }), reducer: CounterReducer())
        let viewModel = ViewModel(initialDomainState: CounterState(), feature: feature)
        let recorder = AsyncStreamRecorder<CounterViewState>()
        recorder.record(viewModel.viewStates)
        try await recorder.waitForEmissions(count: 1)
        viewModel.sendViewEvent(.increment)
        try await recorder.waitForEmissions(count: 2)
        #expect(recorder.values.map(\.text) == ["0", "1"])
    }
}
