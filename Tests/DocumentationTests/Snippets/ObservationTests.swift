import Lattice
import Observation
import Testing

/// The blocks of Observation.md.
@MainActor @Suite struct ObservationTests {
    struct Profile: Equatable, Sendable {
        var name = ""
    }

    @CasePathable
    enum ProfileAction: Sendable {
        case nameChanged(String)
    }

    @Interactor<Profile, ProfileAction>
    struct ProfileInteractor: Sendable {
        var body: some InteractorOf<Self> {
            Interact { state, action in
                switch action {
                case .nameChanged(let name): state.name = name
                }
                return .none
            }
        }
    }

    private func makeCounter() -> ViewModel<Feature<CounterAction, CounterState, CounterViewState>> {
        let feature = Feature(interactor: CounterInteractor(fetch: { 42 }), reducer: CounterReducer())
        return ViewModel(initialDomainState: CounterState(), feature: feature)
    }

    @MainActor final class Screen {
        let viewModel: ViewModel<Feature<CounterAction, CounterState, CounterViewState>>
        var shown: [String] = [] {
            didSet { onShow() }
        }
        private let onShow: () -> Void

        init(
            _ viewModel: ViewModel<Feature<CounterAction, CounterState, CounterViewState>>,
            onShow: @escaping () -> Void
        ) {
            self.viewModel = viewModel
            self.onShow = onShow
        }

        func update() {
            withObservationTracking {
                self.shown.append(self.viewModel.text)
            } onChange: {
                Task { @MainActor in self.update() }
            }
        }
    }

    @Test func observersLookAgain() async {
        let (changes, change) = AsyncStream<Void>.makeStream()
        let screen = Screen(makeCounter()) { change.yield() }
        screen.update()
        screen.viewModel.sendViewEvent(.increment)
        for await _ in changes where screen.shown.count == 2 { break }
        #expect(screen.shown == ["0", "1"])
    }

    @Test(.timeLimit(.minutes(10))) func readersEndWithTheViewModel() async {
        var viewModel: ViewModel? = makeCounter()
        if let viewModel {
            let reader = read(viewModel)
            viewModel.sendViewEvent(.increment)
            reader.cancel()
            await reader.value
        }
        viewModel = nil
    }

    private func read(
        _ viewModel: ViewModel<Feature<CounterAction, CounterState, CounterViewState>>
    ) -> Task<Void, Never> {
        func print(_ text: String) { #expect(text == "0" || text == "1") }

        let reader = Task { [states = viewModel.viewStates] in
            for await state in states { print(state.text) }
        }
        return reader
    }

    @Test func bindingsSendEvents() {
        let feature = Feature(interactor: ProfileInteractor())
        let viewModel = ViewModel(initialDomainState: Profile(), feature: feature)
        let name = viewModel.bindings.name.sending(\.nameChanged)
        name.value = "Ada"
        #expect(viewModel.name == "Ada")
    }

    /// Compiled only: it holds for all view models of the process.
    func detect() {
        ReinitializationDetection.limit = 5
    }
}
