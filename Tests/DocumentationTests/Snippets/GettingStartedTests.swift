import Lattice
import Testing

/// The blocks of GettingStarted.md that README.md does not have.
@MainActor @Suite(.timeLimit(.minutes(10))) struct GettingStartedTests {
    @Test func direct() {
        let viewModel = ViewModel(
            initialDomainState: CounterState(),
            feature: Feature(interactor: CounterInteractor(fetch: { 42 }))
        )
        viewModel.sendViewEvent(.increment)
        #expect(viewModel.count == 1)
    }

    @Test func withAReducer() async {
        let viewModel = ViewModel(
            initialDomainState: CounterState(),
            feature: Feature(interactor: CounterInteractor(fetch: { 42 }), reducer: CounterReducer())
        )
        viewModel.sendViewEvent(.increment)

        let task = viewModel.sendViewEvent(.load)
        let outcome = await task.finish()

        #expect(outcome == .finished)
        #expect(viewModel.text == "42")
    }
}
