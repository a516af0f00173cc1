import LatticeCore
import Testing

private struct View: Equatable, Sendable, DefaultValueProvider {
    var text = ""
    static let defaultValue = View(text: "default")
}

private struct Closure: ViewStateReducer, Sendable {
    let bodies: Shared<Int>

    var body: some ViewStateReducer<Int, View> {
        make()
    }

    private func make() -> BuildViewState<Int, View> {
        bodies.increment()
        return Self.buildViewState(initial: { View(text: "initial \($0)") }, reducerBlock: { $1.text += " \($0)" })
    }
}

private struct Forwarding: ViewStateReducer, Sendable {
    let bodies: Shared<Int>

    var body: some ViewStateReducer<Int, View> {
        Closure(bodies: bodies)
    }
}

private struct OwnInitial: ViewStateReducer, Sendable {
    let bodies: Shared<Int>

    var body: some ViewStateReducer<Int, View> {
        Closure(bodies: bodies)
    }

    func initialViewState(for domainState: Int) -> View { View(text: "own") }
}

private struct WithoutBody: ViewStateReducer, Sendable {
    func reduce(_ domainState: Int, into viewState: inout View) { viewState.text += " \(domainState)" }
}

private struct DefaultStart: ViewStateReducer, Sendable {
    var body: some ViewStateReducer<Int, View> {
        Self.buildViewState { domain, view in view.text += " \(domain)" }
    }
}

/// There is no default value, and the body has nothing to start from either.
private struct OwnStart: ViewStateReducer, Sendable {
    struct Words: Equatable, Sendable {
        var text: String
    }

    func initialViewState(for domainState: Int) -> Words { Words(text: "own") }

    var body: some ViewStateReducer<Int, Words> {
        Self.buildViewState { $1.text += " \($0)" }
    }
}

/// A mistake that the compiler cannot see without `@ViewStateReducer`.
private struct StartMissing: ViewStateReducer, Sendable {
    var body: some ViewStateReducer<Int, String> {
        Self.buildViewState { $1 = "\($0)" }
    }
}

@MainActor
struct ViewStateReducerTests {
    private func texts(_ reducer: some ViewStateReducer<Int, View> & Sendable) -> [String] {
        let interactor = Interact<Int, Int> { state, action in
            state += action
            return .none
        }
        let viewModel = ViewModel(
            initialDomainState: 1,
            feature: Feature(interactor: interactor, reducer: reducer)
        )
        var texts = [viewModel.text]
        for _ in 0..<2 {
            viewModel.sendViewEvent(1)
            texts.append(viewModel.text)
        }
        return texts
    }

    @Test("A body is built once per view model (W15)")
    func aBodyIsBuiltOncePerViewModel() {
        let bodies = Shared(0)
        #expect(texts(Closure(bodies: bodies)) == ["initial 1 1", "initial 1 1 2", "initial 1 1 2 3"])
        #expect(bodies.value == 1)
        #expect(texts(Closure(bodies: bodies).eraseToAnyReducer()).count == 3)
        #expect(bodies.value == 2)
    }

    @Test func aBodyThatIsAnotherReducerForwards() {
        let bodies = Shared(0)
        #expect(texts(Forwarding(bodies: bodies)) == ["initial 1 1", "initial 1 1 2", "initial 1 1 2 3"])
        #expect(bodies.value == 1)
    }

    @Test func anOwnInitialViewStateWins() {
        let bodies = Shared(0)
        #expect(texts(OwnInitial(bodies: bodies)) == ["own 1", "own 1 2", "own 1 2 3"])
        #expect(bodies.value == 1)
    }

    @Test("A reducer with an initial view state of its own needs none in its body (contract 37)")
    func anOwnInitialViewStateNeedsNoOther() {
        let viewModel = ViewModel(
            initialDomainState: 1,
            feature: Feature(interactor: EmptyInteractor<Int, Int>(), reducer: OwnStart())
        )
        #expect(viewModel.text == "own 1")
    }

    @Test("A reducer without an initial view state starts from the default value, also with generic types (W37)")
    func theDefaultValueIsFound() {
        func start<ViewState: DefaultValueProvider>(_ type: ViewState.Type) -> ViewState {
            BuildViewState<Int, ViewState> { _, _ in }.initialViewState(for: 1)
        }
        #expect(start(View.self) == View(text: "default"))
        var view = View()
        BuildViewState<Int, View> { $1.text = "\($0)" }.reduce(7, into: &view)
        #expect(view.text == "7")
    }

    @Test("Without any initial view state, the program stops and names what is missing (W37)")
    func nothingToStartFrom() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = StartMissing().initialViewState(for: 1)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            text.contains(
                """
                The reducer has no initial view state. Pass 'initial:' to buildViewState, let String conform to \
                DefaultValueProvider, or implement 'initialViewState(for:)' in the reducer.
                """
            )
        )
    }

    @Test func aReducerNeedsNoBody() {
        #expect(texts(WithoutBody()) == ["default 1", "default 1 2", "default 1 2 3"])
        #expect(texts(DefaultStart()) == ["default 1", "default 1 2", "default 1 2 3"])
    }
}
