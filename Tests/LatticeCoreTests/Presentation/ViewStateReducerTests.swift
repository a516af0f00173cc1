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

    @Test("W15: a body is built once per view model")
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

    @Test func aReducerNeedsNoBody() {
        #expect(texts(WithoutBody()) == ["default 1", "default 1 2", "default 1 2 3"])
        #expect(texts(DefaultStart()) == ["default 1", "default 1 2", "default 1 2 3"])
    }
}
