public import Lattice
import Testing

/// Types with the names of the associated types, and types that contain them.
private enum SameNames {
    struct State: Equatable, Sendable {
        var texts: [String] = []
    }
    enum Action: Sendable {
        case add(Int)
    }
    typealias DomainState = [String]
    typealias ViewState = String

    @Interactor<State, Action>
    fileprivate struct StateAndAction: Sendable {
        var body: some InteractorOf<Self> {
            Interact { state, action in
                state.texts.append("\(action)")
                return .none
            }
        }
    }

    @Interactor<DomainState, Action>
    fileprivate struct DomainStateAndAction: Sendable {
        func interact(state: inout DomainState, action: Action) -> Emission<Action> {
            state.append("\(action)")
            return .none
        }
    }

    @Interactor<[DomainState], Result<Action, Never>>
    fileprivate struct Inside: Sendable {
        func interact(state: inout [[String]], action: Action) -> Emission<Action> {
            state.append(["\(action.get())"])
            return .none
        }
    }

    @ViewStateReducer<DomainState, ViewState>
    fileprivate struct Reducer: Sendable {
        func initialViewState(for domainState: DomainState) -> ViewState { "" }

        func reduce(_ domainState: [String], into viewState: inout String) {
            viewState = domainState.joined(separator: ", ")
        }
    }

    /// An alias of the second argument that means the first.
    @ViewStateReducer<Int, DomainState>
    fileprivate struct Crossed: Sendable {
        func initialViewState(for number: Int) -> [String] { [] }

        func reduce(_ number: Int, into texts: inout [String]) {
            texts = ["\(number)"]
        }
    }
}

public struct Action: Sendable {
    public init() {}
}

/// A public interactor at the top level of a file.
@Interactor<Int, Action>
public struct PublicOfAction: Sendable {
    public func interact(state: inout Int, action: Action) -> Emission<Action> {
        state += 1
        return .none
    }
}

extension PublicNamespace {
    @Interactor<[String], Int>
    public struct Nested: Sendable {
        public let text = "nested"

        public func interact(state: inout [String], action: Int) -> Emission<Int> {
            state.append(text)
            return .none
        }
    }
}

/// Tests macros whose arguments have the names of the associated types.
struct SameNameTests {
    private func state<State, Action>(_ interactor: some Interactor<State, Action>, _ state: State, _ action: Action)
        -> State
    {
        var state = state
        _ = interactor.interact(state: &state, action: action)
        return state
    }

    @Test("@Interactor accepts types that are named State, Action and DomainState")
    func interactors() {
        #expect(state(SameNames.StateAndAction(), SameNames.State(), .add(1)).texts == ["add(1)"])
        #expect(state(SameNames.DomainStateAndAction(), ["a"], .add(1)) == ["a", "add(1)"])
        #expect(state(SameNames.Inside(), [], .success(.add(1))) == [["add(1)"]])
        #expect(state(PublicOfAction(), 1, Action()) == 2)
    }

    @Test("@ViewStateReducer accepts types that are named DomainState and ViewState")
    func reducers() {
        var text = ""
        SameNames.Reducer().reduce(["a", "b"], into: &text)
        #expect(text == "a, b")
        var texts: [String] = []
        SameNames.Crossed().reduce(1, into: &texts)
        #expect(texts == ["1"])
    }
}
