import Lattice
import LatticeClient
import LatticeTestSupport
import LatticeTesting
import Testing

/// The blocks of README.md that are no whole file.
@MainActor @Suite(.timeLimit(.minutes(3))) struct ReadmeTests {
    private let fetch: @Sendable () async throws -> Int = { 42 }

    @Test func quickStart() async {
        var printed: [String] = []
        func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }

        let feature = Feature(interactor: CounterInteractor(fetch: fetch), reducer: CounterReducer())
        let viewModel = ViewModel(initialDomainState: CounterState(), feature: feature)
        viewModel.sendViewEvent(.increment)
        print(viewModel.text)
        let outcome = await viewModel.sendViewEvent(.load).finish()
        print(viewModel.text, outcome)

        #expect(printed == ["1", "42 finished"])
    }

    @MainActor @Test func loading() async {
        let feature = Feature(interactor: CounterInteractor(fetch: { 42 }), reducer: CounterReducer())
        let viewModel = TestViewModel(initialDomainState: CounterState(), feature: feature)

        await viewModel.send(.load) { $0.isLoading = true }
        await viewModel.receive(.loaded(42)) {
            $0.isLoading = false
            $0.count = 42
        }
        viewModel.assertViewState(CounterViewState(text: "42"))
        await viewModel.finish()
    }

    /// Compiled, and run by the end-to-end tests in their own words: it needs a coordinator.
    func client(path: String) async throws {
        try await withClient(connectingTo: path) { client in
            let counter = try await client.viewModel(Counter.self)
            await counter.sendViewEvent(.add(1)).finish()
            print(counter.viewState)
        }
    }
}
