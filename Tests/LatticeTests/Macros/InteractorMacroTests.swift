public import Lattice
import Testing

// Types of every kind that the macro has to compile for. Each adds what its name says to the state.

@Interactor<[String], Int>
public struct PublicInteractor: Sendable {
    public init() {}

    public var body: some InteractorOf<Self> {
        Interact { state, _ in
            state.append("public")
            return .none
        }
    }
}

public enum PublicNamespace {}

@Interactor<[String], Int>
package struct PackageInteractor: Sendable {
    package var body: some InteractorOf<Self> {
        PublicInteractor()
        PublicInteractor()
    }
}

@Interactor
private struct GenericByMethod<Element: Sendable>: Sendable {
    func interact(state: inout [Element], action: Element) -> Emission<Element> {
        state.append(action)
        return .none
    }
}

/// A generic parameter is an associated type if it has the name of one. `InteractorOf<Self>` would not see that.
@Interactor
private struct GenericByName<DomainState: RangeReplaceableCollection & Sendable, Action: Sendable>: Sendable
where DomainState.Element == Action {
    var body: some Interactor<DomainState, Action> {
        Interact { state, action in
            state.append(action)
            return .none
        }
        Interact { state, action in
            state.append(action)
            return .none
        }
    }
}

@Interactor
private struct GenericByBody<Element: Sendable>: Sendable {
    var body: some Interactor<[Element], Element> {
        Interact { state, action in
            state.append(action)
            return .none
        }
        GenericByMethod()
    }
}

@Interactor
private struct NestedTypes: Sendable {
    struct DomainState: Equatable, Sendable {
        var count = 0
    }
    enum Action: Sendable {
        case add(Int)
    }

    var body: some InteractorOf<Self> {
        Interact { state, action in
            switch action {
            case .add(let number): state.count += number
            }
            return .none
        }
    }
}

@Interactor<(names: [String], last: Int?), any Sendable & CustomStringConvertible>
private struct UnusualTypes: Sendable {
    var body: some InteractorOf<Self> {
        Interact { state, action in
            state.names.append(action.description)
            return .none
        }
    }
}

@MainActor
@Lattice.Interactor<[String], Int>
private struct OnTheMainActor {
    nonisolated var body: some InteractorOf<Self> {
        PublicInteractor()
        PublicInteractor()
    }
}

@Interactor<[String], Int>
private enum Choice: Sendable {
    case one
    case two

    var body: some InteractorOf<Self> {
        switch self {
        case .one:
            PublicInteractor()
        case .two:
            PublicInteractor()
            PublicInteractor()
        }
    }
}

@Interactor<[String], Int>
private final class Reference: Sendable {
    var body: some InteractorOf<Reference> {
        PublicInteractor()
        PublicInteractor()
    }
}

@Interactor<[String], Int>
private actor Isolated {
    nonisolated func interact(state: inout [String], action: Int) -> Emission<Int> {
        state.append("actor")
        return .none
    }
}

@Interactor<[String], Int>
private struct Returning: Sendable {
    let isShort: Bool

    var body: some InteractorOf<Self> {
        guard !isShort else { return Interactors.MergeMany(interactors: [PublicInteractor()]) }
        return Interactors.MergeMany(interactors: [PublicInteractor(), PublicInteractor()])
    }
}

@Interactor<[String], Int>
private struct Stored: Sendable {
    let body = Interactors.Merge(PublicInteractor(), PublicInteractor())
}

@Interactor<[String], Int>
private struct OwnBuilder: Sendable {
    @InteractorBuilder<[String], Int> var body: some InteractorOf<Self> {
        PublicInteractor()
        PublicInteractor()
    }
}

@Interactor
private struct Inferred: Sendable {
    func interact(state: inout [String], action: Int) -> Emission<Int> {
        state.append("inferred")
        return .none
    }
}

@Interactor<[String], Int>
private struct Declared: Interactor, Sendable {}

extension Declared {
    func interact(state: inout [String], action: Int) -> Emission<Int> {
        state.append("declared")
        return .none
    }
}

@Interactor<[String], Int>
private struct Conditional: Sendable {
    #if NEVER
    var body: some InteractorOf<Self> { EmptyInteractor() }
    #else
    var body: some InteractorOf<Self> {
        PublicInteractor()
        PublicInteractor()
    }
    #endif
}

@available(*, deprecated)
@Interactor<[String], Int>
private struct Deprecated: Sendable {
    var body: some InteractorOf<Self> { PublicInteractor() }
}

struct InteractorMacroTests {
    private func states<State, Action>(_ interactor: some Interactor<State, Action>, _ state: State, _ action: Action)
        -> State
    {
        var state = state
        _ = interactor.interact(state: &state, action: action)
        return state
    }

    @Test("The macro works for public and package types, also in an extension (W7)")
    func visibilities() {
        #expect(states(PublicInteractor(), [], 1) == ["public"])
        #expect(states(PublicNamespace.Nested(), [], 1) == ["nested"])
        #expect(states(PackageInteractor(), [], 1) == ["public", "public"])
    }

    @Test("The generic form of the macro compiles without warnings (W35)")
    func genericTypes() {
        #expect(states(GenericByMethod(), ["a"], "b") == ["a", "b"])
        #expect(states(GenericByBody(), [1], 2) == [1, 2, 2])
        #expect(states(GenericByName(), "a", "b") == "ab" + "b")
    }

    @Test func typesFromInside() {
        #expect(states(NestedTypes(), NestedTypes.DomainState(count: 1), .add(2)).count == 3)
        #expect(states(Inferred(), [], 1) == ["inferred"])
    }

    @Test("Arguments can have any spelling (W28)")
    func unusualTypes() {
        #expect(states(UnusualTypes(), (names: [], last: nil), 5).names == ["5"])
    }

    @Test("The macro works beside other attributes and with its module's name (W27)")
    func otherAttributes() {
        #expect(states(OnTheMainActor(), [], 1) == ["public", "public"])
    }

    @Test func kindsOfTypes() {
        #expect(states(Choice.one, [], 1) == ["public"])
        #expect(states(Choice.two, [], 1) == ["public", "public"])
        #expect(states(Reference(), [], 1) == ["public", "public"])
        #expect(states(Isolated(), [], 1) == ["actor"])
    }

    @Test func kindsOfBodies() {
        #expect(states(Returning(isShort: true), [], 1) == ["public"])
        #expect(states(Returning(isShort: false), [], 1) == ["public", "public"])
        #expect(states(Stored(), [], 1) == ["public", "public"])
        #expect(states(OwnBuilder(), [], 1) == ["public", "public"])
        #expect(states(Conditional(), [], 1) == ["public", "public"])
    }

    @Test("An interactor needs no body, also in an extension that declares its conformance (W26)")
    func withoutBody() {
        #expect(states(Declared(), [], 1) == ["declared"])
    }
}
