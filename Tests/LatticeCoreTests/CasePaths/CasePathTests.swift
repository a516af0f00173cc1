import LatticeCore
import Testing

/// Case paths as values: made by key path literals, composed, called, resolved.
@Suite(.timeLimit(.minutes(10)))
struct CasePathTests {
    @Test func extractGivesThePayloadOfTheActiveCaseOnly() {
        let path = AnyCasePath(\Screen.AllCasePaths.search)
        let search = Search(query: "lattice")
        #expect(path.extract(from: .search(search)) == search)
        #expect(path.extract(from: .idle) == nil)
        #expect(path.embed(search) == .search(search))
    }

    @Test("A case path knows the name of its case, also through several enums and with escaped names")
    func names() {
        #expect(AnyCasePath(\Screen.AllCasePaths.search).name == "search")
        #expect(AnyCasePath(\Screen.AllCasePaths.default).name == "default")
        #expect(AnyCasePath(\Screen.AllCasePaths.nested.nested.position).name == "nested.nested.position")
        #expect(AnyCasePath(\Loading<Int>.AllCasePaths.loaded).name == "loaded")
        #expect(AnyCasePath(\Screen?.AllCasePaths.some.idle).name == "some.idle")
        #expect(AnyCasePath<Int?, Int>(embed: { $0 }, extract: { $0 }, name: "number").name == "number")
    }

    @Test func aCaseWithoutPayloadHasVoid() {
        let path: AnyCasePath<Screen, Void> = AnyCasePath(\.idle)
        #expect(path.extract(from: .idle) != nil)
        #expect(path.extract(from: .note(nil)) == nil)
        #expect(path.embed(()) == .idle)
    }

    @Test func aCaseWithSeveralValuesHasATuple() throws {
        let path: AnyCasePath<Screen, (x: Int, y: Int)> = AnyCasePath(\.position)
        let position = try #require(path.extract(from: .position(x: 1, y: 2)))
        #expect(position == (x: 1, y: 2))
        #expect(path.embed((x: 3, y: 4)) == .position(x: 3, y: 4))
    }

    @Test func anOptionalPayloadIsTwiceOptional() {
        let path: AnyCasePath<Screen, String?> = AnyCasePath(\.note)
        #expect(path.extract(from: .note(nil)) == .some(nil))
        #expect(path.extract(from: .idle) == nil)
    }

    @Test func keyPathsEmbedTheirPayload() {
        let search: CaseKeyPath<Screen, Search> = \.search
        let idle: CaseKeyPath<Screen, Void> = \.idle
        let position: CaseKeyPath<Screen, (x: Int, y: Int)> = \.position
        let keyword: CaseKeyPath<Screen, Int> = \.default
        #expect(AnyCasePath(search).embed(Search(query: "a")) == Screen.search(Search(query: "a")))
        #expect(AnyCasePath(idle).embed(()) == Screen.idle)
        #expect(AnyCasePath(position).embed((x: 1, y: 2)) == Screen.position(x: 1, y: 2))
        #expect(AnyCasePath(keyword).embed(7) == Screen.default(7))
    }

    @Test func keyPathsAreEqualAndHashed() {
        let search: CaseKeyPath<Screen, Search> = \.search
        #expect(search == \.search)
        #expect(search != \.nested.search)
        #expect(Set<PartialKeyPath<Screen.AllCasePaths>>([\.search, \.idle, \.search]).count == 2)
    }

    @Test func pathsCompose() {
        let twice: CaseKeyPath<Screen, Search> = \.nested.nested.search
        let path = AnyCasePath(twice)
        let search = Search(query: "deep")
        let deep = Screen.nested(.nested(.search(search)))
        #expect(path.embed(search) == deep)
        #expect(path.extract(from: deep) == search)
        #expect(path.extract(from: .nested(.search(search))) == nil)
        #expect(path.extract(from: .search(search)) == nil)
    }

    @Test func composedPathsModify() {
        let path: AnyCasePath<Screen, Search> = AnyCasePath(\.nested.search)
        var screen = Screen.nested(.search(Search()))
        #expect(path.modify(&screen) { $0.query = "new" })
        #expect(screen == .nested(.search(Search(query: "new"))))
        screen = .nested(.idle)
        #expect(!path.modify(&screen) { $0.query = "newer" })
        #expect(screen == .nested(.idle))
    }

    @Test func pathsGoThroughOptionalsAndResults() {
        let text: AnyCasePath<Screen, String> = AnyCasePath(\.note.some)
        let nothing: AnyCasePath<Screen, Void> = AnyCasePath(\.note.none)
        #expect(text.extract(from: .note("a")) == "a")
        #expect(text.extract(from: .note(nil)) == nil)
        #expect(nothing.extract(from: .note(nil)) != nil)
        #expect(nothing.extract(from: .idle) == nil)
        #expect(text.embed("b") == .note("b"))
        #expect(nothing.embed(()) == .note(nil))

        let success: CaseKeyPath<Loading<Result<Int, Failure>>, Int> = \.loaded.success
        let failure: CaseKeyPath<Loading<Result<Int, Failure>>, Failure> = \.loaded.failure
        let loaded = AnyCasePath(success).embed(5)
        #expect(loaded.is(success))
        #expect(!loaded.is(failure))
        let failed = AnyCasePath(failure).embed(Failure(description: "no"))
        #expect(AnyCasePath(failure).extract(from: failed)?.description == "no")
        #expect(AnyCasePath(failure).extract(from: .running(0.5)) == nil)
    }

    @Test func aPathIsBuiltByHand() {
        let even = AnyCasePath<Int, Int>(embed: { $0 * 2 }, extract: { $0.isMultiple(of: 2) ? $0 / 2 : nil })
        #expect(even.extract(from: 8) == 4)
        #expect(even.extract(from: 7) == nil)
        #expect(even.embed(3) == 6)
        var number = 8
        #expect(even.modify(&number) { $0 += 1 })
        #expect(number == 10)
    }

    @Test func aPathIsUsedFromAnotherIsolation() async {
        let path: AnyCasePath<Screen, Search> = AnyCasePath(\.search)
        let query = await Host().run { _ in path.extract(from: .search(Search(query: "a")))?.query }
        #expect(query == "a")
    }
}

/// The two initialisers that a `when` needs, which differ in the kind of the state's key path only.
private struct Scope<ParentState: Sendable, ParentAction: Sendable, Child: Interactor & Sendable>: Sendable {
    let kind: String

    init<ChildState, ChildAction>(
        state: WritableKeyPath<ParentState, ChildState>,
        action: CaseKeyPath<ParentAction, ChildAction>,
        @InteractorBuilder<ChildState, ChildAction> child: () -> Child
    ) where ChildState == Child.DomainState, ChildAction == Child.Action {
        kind = "property"
    }

    init<ChildState, ChildAction>(
        state: CaseKeyPath<ParentState, ChildState>,
        action: CaseKeyPath<ParentAction, ChildAction>,
        @InteractorBuilder<ChildState, ChildAction> child: () -> Child
    ) where ChildState == Child.DomainState, ChildAction == Child.Action {
        kind = "case"
    }
}

extension Interactor where Self: Sendable {
    fileprivate func scoped<ChildState, ChildAction, Child: Interactor & Sendable>(
        state: WritableKeyPath<DomainState, ChildState>,
        action: CaseKeyPath<Action, ChildAction>,
        @InteractorBuilder<ChildState, ChildAction> child: () -> Child
    ) -> (Self, String) where ChildState == Child.DomainState, ChildAction == Child.Action {
        (self, "property")
    }

    fileprivate func scoped<ChildState, ChildAction, Child: Interactor & Sendable>(
        state: CaseKeyPath<DomainState, ChildState>,
        action: CaseKeyPath<Action, ChildAction>,
        @InteractorBuilder<ChildState, ChildAction> child: () -> Child
    ) -> (Self, String) where ChildState == Child.DomainState, ChildAction == Child.Action {
        (self, "case")
    }
}

struct CasePathOverloadTests {
    private struct Parent: Sendable {
        var search = Search()
        var screen = Screen.idle
    }

    private typealias Action = Loading<Int>

    @Test("A key path literal selects the overload of its kind")
    func overloads() {
        let property = Scope<Parent, Action, _>(state: \.search, action: \.loaded) { EmptyInteractor<Search, Int>() }
        let enumCase = Scope<Screen, Action, _>(state: \.search, action: \.loaded) { EmptyInteractor<Search, Int>() }
        let composed = Scope<Screen, Action, _>(state: \.nested.search, action: \.loaded) {
            Interact { _, _ in .none }
            EmptyInteractor<Search, Int>()
        }
        let generic = Scope<Action, Action, _>(state: \.loaded, action: \.loaded) { Interact { _, _ in .none } }
        let kinds = [property.kind, enumCase.kind, composed.kind, generic.kind]
        #expect(kinds == ["property", "case", "case", "case"])
    }

    @Test func overloadsOfAMethod() {
        let parent = EmptyInteractor<Parent, Action>().scoped(state: \.search, action: \.loaded) {
            EmptyInteractor<Search, Int>()
        }
        let screen = EmptyInteractor<Screen, Action>().scoped(state: \.search, action: \.loaded) {
            Interact { state, action in
                state.results.append(action)
                return .none
            }
        }
        #expect([parent.1, screen.1] == ["property", "case"])
    }

    @dynamicMemberLookup
    private struct Members<Root: CasePathable> {
        subscript<Payload>(dynamicMember path: KeyPath<Root.AllCasePaths, AnyCasePath<Root, Payload>>) -> Payload.Type {
            Payload.self
        }
    }

    @Test func casesAreDynamicMembersOfOtherTypes() {
        #expect(Members<Screen>().search == Search.self)
        #expect(Members<Screen>().default == Int.self)
    }
}
