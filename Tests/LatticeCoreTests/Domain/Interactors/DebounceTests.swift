import LatticeTesting
import Testing

@testable import LatticeCore

private struct SearchState: Equatable, Sendable {
    var query = 0
    var hits: [Int] = []
    var saved: [Int] = []
}

private enum SearchAction: Sendable {
    case query(Int)
    case found(Int)
    case save(Int)
    case saved(Int)

    var isSaving: Bool {
        if case .save = self { true } else { false }
    }
}

/// Searches for every query, and counts how often.
private struct SearchInteractor: Interactor, Sendable {
    let searches: Shared<Int>

    var body: some Interactor<SearchState, SearchAction> {
        Interact<SearchState, SearchAction> { [searches] state, action in
            switch action {
            case .query(let query):
                state.query = query
                return .perform {
                    searches.increment()
                    return .found(query)
                }
            case .save(let value):
                return .perform { .saved(value) }
            case .found(let hit): state.hits.append(hit)
            case .saved(let value): state.saved.append(value)
            }
            return .none
        }
    }
}

/// The shape in which documentation shows it: the debounce is made inside `body`.
private struct DebouncedInBody: Interactor, Sendable {
    let clock: TestClock
    let searches: Shared<Int>

    var body: some Interactor<SearchState, SearchAction> {
        DebounceInteractor(for: .milliseconds(300), clock: clock) {
            SearchInteractor(searches: searches)
        }
    }
}

/// The types of what is inside follow from those of the whole.
private struct InferredInBody: Interactor, Sendable {
    var body: some Interactor<SearchState, SearchAction> {
        DebounceInteractor(for: .milliseconds(300)) {
            Interact { state, action in
                if case .query(let query) = action { state.query = query }
                return .none
            }
        }
    }
}

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct DebounceTests {
    @Test("The child is one interactor or several, and its types are inferred in either direction (W40)")
    func children() {
        let searches = Shared(0)
        // The type of the state is known from the child.
        let one = InteractorTestHarness(
            initialState: .init(),
            interactor: Interactors.Debounce(for: .seconds(1), clock: TestClock()) {
                SearchInteractor(searches: searches)
            }
        )
        let several = InteractorTestHarness(
            initialState: SearchState(),
            interactor: Interactors.Debounce(for: .seconds(1), clock: TestClock()) {
                SearchInteractor(searches: searches)
                InferredInBody()
            }
        )
        let throttled = InteractorTestHarness(
            initialState: .init(),
            interactor: Interactors.Throttle(for: .seconds(1)) { InferredInBody() }
        )
        for harness in [one, several, throttled] {
            harness.send(.query(7))
            #expect(harness.currentState.query == 7)
        }
    }

    private let clock = TestClock()
    private let searches = Shared(0)

    private func makeRuntime(
        _ interactor: some Interactor<SearchState, SearchAction>
    ) -> FeatureRuntime<SearchState, SearchAction> {
        FeatureRuntime(
            initialState: SearchState(),
            interactor: interactor,
            isolation: MainActor.shared,
            areStatesEqual: { $0 == $1 }
        )
    }

    private func makeDebounce() -> Interactors.Debounce<TestClock, SearchInteractor> {
        Interactors.Debounce(for: .milliseconds(300), clock: clock) {
            SearchInteractor(searches: searches)
        }
    }

    @Test("Every action changes the state at once (contract 16)")
    func stateChangesAtOnce() {
        let runtime = makeRuntime(makeDebounce())
        for query in 1...3 {
            runtime.send(.query(query))
            #expect(runtime.state.query == query)
        }
        runtime.send(.found(1))
        #expect(runtime.state.hits == [1])

        var state = SearchState()
        let emission = makeDebounce().interact(state: &state, action: .found(1))
        guard case .none = emission.kind else {
            Issue.record("expected none, got \(emission.kind)")
            return
        }
    }

    @Test("Only the last of three effects runs, after the period has passed (contract 17)")
    func lastEffectRuns() async {
        let runtime = makeRuntime(makeDebounce())
        let tasks = (1...3).map { runtime.send(.query($0)) }
        #expect(searches.value == 0)
        await clock.advance(by: .milliseconds(300))
        for task in tasks { #expect(await task.finish() == .finished) }
        #expect(searches.value == 1)
        #expect(runtime.state.hits == [3])
    }

    @Test("A debounce inside a body coalesces (W1)", arguments: [false, true])
    func insideABody(isErased: Bool) async {
        let interactor = DebouncedInBody(clock: clock, searches: searches)
        let runtime = isErased ? makeRuntime(interactor.eraseToAnyInteractor()) : makeRuntime(interactor)
        let tasks = (1...3).map { runtime.send(.query($0)) }
        await clock.advance(by: .milliseconds(300))
        for task in tasks { #expect(await task.finish() == .finished) }
        #expect(searches.value == 1)
        #expect(runtime.state.hits == [3])
    }

    @Test("Runtimes of one value do not supersede each other's effects (W1)")
    func runtimesAreSeparate() async {
        let debounce = makeDebounce()
        let runtimes = [makeRuntime(debounce), makeRuntime(debounce)]
        let tasks = runtimes.map { $0.send(.query(1)) }
        await clock.advance(by: .milliseconds(300))
        for task in tasks { #expect(await task.finish() == .finished) }
        #expect(searches.value == 2)
        // Their ends are those of their effects.
        withExtendedLifetime(runtimes) {}
    }

    @Test func withoutARuntimeDirectCallsShareThePeriod() async {
        let debounce = makeDebounce()
        var state = SearchState()
        let emissions = (1...3).map { debounce.interact(state: &state, action: .query($0)) }
        let works = emissions.compactMap { if case .perform(let work) = $0.kind { work } else { nil } }
        await withTaskGroup { group in
            for work in works { group.addTask { _ = await work() } }
            await clock.advance(by: .milliseconds(300))
        }
        #expect(searches.value == 1)
    }

    @Test("Effects of all kinds share the period unless a key separates them (W23)")
    func keys() async {
        let searches = searches
        let shared = makeRuntime(makeDebounce())
        let keyed = makeRuntime(
            Interactors.Debounce(for: .milliseconds(300), clock: clock, key: \.isSaving) {
                SearchInteractor(searches: searches)
            }
        )
        var tasks: [EventTask] = []
        for runtime in [shared, keyed] {
            tasks.append(runtime.send(.query(1)))
            tasks.append(runtime.send(.save(7)))
            tasks.append(runtime.send(.query(2)))
        }
        await clock.advance(by: .milliseconds(300))
        for task in tasks { #expect(await task.finish() == .finished) }
        #expect(shared.state == SearchState(query: 2, hits: [2], saved: []))
        #expect(keyed.state == SearchState(query: 2, hits: [2], saved: [7]))
    }

    @Test("The child can be a builder closure (W40)")
    func childIsABuilder() async {
        let searches = searches
        let isCounting = true
        let debounce = Interactors.Debounce(for: .milliseconds(300), clock: clock) {
            SearchInteractor(searches: searches)
            if isCounting {
                Interact<SearchState, SearchAction> { state, action in
                    guard case .query = action else { return .none }
                    state.query += 100
                    return .none
                }
            }
        }
        let runtime = makeRuntime(debounce)
        let tasks = (1...2).map { runtime.send(.query($0)) }
        await clock.advance(by: .milliseconds(300))
        for task in tasks { #expect(await task.finish() == .finished) }
        #expect(runtime.state == SearchState(query: 102, hits: [2]))
    }

    @Test func aClosureWithoutABuilderIsAChildToo() {
        func makeChild() -> SearchInteractor { SearchInteractor(searches: searches) }
        let debounce = Interactors.Debounce(for: .milliseconds(300), child: makeChild)
        let runtime = makeRuntime(debounce)
        runtime.send(.found(1))
        #expect(runtime.state.hits == [1])
    }

    @Test("Cancelling in a body ends the debounce's wait (W4)")
    func cancelling() async {
        let runtime = makeRuntime(DebouncedInBody(clock: clock, searches: searches))
        let task = runtime.send(.query(1))
        task.cancel()
        #expect(await task.finish() == .cancelled)
        await clock.advance(by: .seconds(1))
        #expect(searches.value == 0)
    }
}
