public import Lattice
import Testing

public struct PlainView: Equatable, Sendable {
    public var text = "made"
    public init() {}
}

public struct DefaultView: Equatable, Sendable, DefaultValueProvider {
    public var text = ""
    public static let defaultValue = DefaultView(text: "default")
}

@ViewStateReducer<Int, PlainView>
public struct PublicReducer: Sendable {
    public init() {}

    public var body: some ViewStateReducerOf<Self> {
        // Says buildViewState { } without meaning it.
        Self.buildViewState(initial: { _ in PlainView() }) { domainState, viewState in
            viewState.text += " \(domainState)"
        }
    }
}

@ViewStateReducer<Int, PlainView>
private struct ByInitialiser: Sendable {
    let separator = "-"

    var body: some ViewStateReducerOf<Self> {
        let separator = separator
        BuildViewState(
            initial: { _ in PlainView() },
            reducerBlock: { domainState, viewState in viewState.text += "\(separator)\(domainState)" }
        )
    }
}

@ViewStateReducer<Int, DefaultView>
private struct ByDefault: Sendable {
    var body: some ViewStateReducerOf<Self> {
        Self.buildViewState { domainState, viewState in viewState.text += " \(domainState)" }
    }
}

@ViewStateReducer<Int, PlainView>
private struct Own: Sendable {
    func initialViewState(for domainState: Int) -> PlainView {
        var view = PlainView()
        view.text = "own \(domainState)"
        return view
    }

    var body: some ViewStateReducerOf<Self> {
        Self.buildViewState { domainState, viewState in viewState.text += " \(domainState)" }
    }
}

@ViewStateReducer<Int, PlainView>
public struct OwnByInitialiser: Sendable {
    public init() {}

    public func initialViewState(for domainState: Int) -> PlainView {
        var view = PlainView()
        view.text = "own \(domainState)"
        return view
    }

    public var body: some ViewStateReducerOf<Self> {
        Self.buildViewState { domainState, viewState in
            viewState.text += " \(domainState)"
        }
    }
}

@MainActor
@ViewStateReducer<Int, PlainView>
private struct OwnOnTheMainActor {
    nonisolated func initialViewState(for domainState: Int) -> PlainView { PlainView() }

    nonisolated var body: some ViewStateReducerOf<Self> {
        Self.buildViewState { domainState, viewState in viewState.text += " \(domainState)" }
    }
}

@ViewStateReducer<Int, DefaultView>
private struct OwnThatAsksItsBody: Sendable {
    func initialViewState(for domainState: Int) -> DefaultView {
        var view = body.initialViewState(for: domainState)
        view.text += "+"
        return view
    }

    var body: some ViewStateReducerOf<Self> {
        Self.buildViewState { domainState, viewState in viewState.text += " \(domainState)" }
    }
}

@ViewStateReducer<Int, PlainView>
private struct Forwarding: Sendable {
    var body: some ViewStateReducerOf<Self> { PublicReducer() }
}

@ViewStateReducer
private struct Generic<Element: Sendable & Equatable>: Sendable {
    let element: Element

    var body: some ViewStateReducer<Int, [Element]> {
        let element = element
        Self.buildViewState(initial: { _ in [] }) { domainState, viewState in
            viewState = Array(repeating: element, count: domainState)
        }
    }
}

@MainActor
@ViewStateReducer<Int?, (text: String, count: Int)>
private struct WithoutBody {
    nonisolated func initialViewState(for domainState: Int?) -> (text: String, count: Int) { ("", 0) }

    nonisolated func reduce(_ domainState: Int?, into viewState: inout (text: String, count: Int)) {
        viewState = ("\(domainState ?? 0)", viewState.count + 1)
    }
}

@ViewStateReducer
private struct NestedTypes: Sendable {
    struct DomainState {
        var count = 1
    }
    struct ViewState: Equatable, DefaultValueProvider {
        var text = ""
        static let defaultValue = ViewState(text: "nested")
    }

    func reduce(_ domainState: DomainState, into viewState: inout ViewState) {
        viewState.text += " \(domainState.count)"
    }
}

struct ViewStateReducerMacroTests {
    private func reduced<Domain, View>(_ reducer: some ViewStateReducer<Domain, View>, _ domainState: Domain) -> View {
        var view = reducer.initialViewState(for: domainState)
        reducer.reduce(domainState, into: &view)
        return view
    }

    @Test("The body's initial view state is used (contract 37)")
    func initialOfTheBody() {
        #expect(reduced(PublicReducer(), 1).text == "made 1")
        #expect(reduced(ByInitialiser(), 1).text == "made-1")
    }

    @Test("The default value is used, whatever the domain state (contract 37)")
    func defaultValue() {
        #expect(ByDefault().initialViewState(for: 1) == ByDefault().initialViewState(for: 2))
        #expect(reduced(ByDefault(), 1).text == "default 1")
        #expect(reduced(NestedTypes(), NestedTypes.DomainState()).text == "nested 1")
    }

    @Test("The type's own method is used, and its body may leave out the initial view state (contract 37)")
    func ownMethod() {
        #expect(reduced(Own(), 1).text == "own 1 1")
        #expect(reduced(OwnByInitialiser(), 1).text == "own 1 1")
        #expect(reduced(OwnOnTheMainActor(), 1).text == "made 1")
        #expect(reduced(OwnThatAsksItsBody(), 1).text == "default+ 1")
    }

    @Test("A body that is another reducer provides the initial view state (contract 37)")
    func forwarding() {
        #expect(reduced(Forwarding(), 1).text == "made 1")
    }

    @Test func genericTypesAndTypesWithoutBody() {
        #expect(reduced(Generic(element: "a"), 2) == ["a", "a"])
        #expect(reduced(WithoutBody(), nil) == ("0", 1))
    }

    @MainActor
    @Test("A view model uses the reducer's initial view state (contract 37)")
    func throughAViewModel() {
        let interactor = Interact<Int, Int> { state, action in
            state += action
            return .none
        }
        let own = ViewModel(initialDomainState: 1, feature: Feature(interactor: interactor, reducer: Own()))
        let usual = ViewModel(initialDomainState: 1, feature: Feature(interactor: interactor, reducer: ByDefault()))
        own.sendViewEvent(1)
        usual.sendViewEvent(1)
        #expect(own.text == "own 1 1 2")
        #expect(usual.text == "default 1 2")
    }
}
