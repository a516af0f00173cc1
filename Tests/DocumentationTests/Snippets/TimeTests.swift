import Lattice
import LatticeTesting
import Testing

/// The blocks of Time.md.
@Suite(.timeLimit(.minutes(10))) struct TimeTests {
    struct Search: Equatable, Sendable {
        var query = ""
        var results: [String] = []
        var problem: String?
    }

    enum SearchAction: Equatable, Sendable {
        case queryChanged(String)
        case refresh
        case found([String])
        case failed(String)

        enum Kind: Hashable { case typing, refresh, result }

        var kind: Kind {
            switch self {
            case .queryChanged: .typing
            case .refresh: .refresh
            case .found, .failed: .result
            }
        }
    }

    struct SearchInteractor<C: Clock<Duration>>: Interactor, Sendable {
        let clock: C
        let search: @Sendable (String) async throws -> [String]

        func interact(state: inout Search, action: SearchAction) -> Emission<SearchAction> {
            switch action {
            case .queryChanged(let query):
                state.query = query
                return .perform { .found(try await search(query)) }
            case .refresh:
                return .perform { [query = state.query] in .found(try await search(query)) }
                    .timeout(.seconds(5), clock: clock)
                    .retry(.exponential(maximumDelay: .seconds(10), attempts: 4), clock: clock)
                    .catch { .failed("\($0)") }
            case .found(let results): state.results = results
            case .failed(let problem): state.problem = problem
            }
            return .none
        }
    }

    struct DebouncedSearch<C: Clock<Duration>>: Interactor, Sendable {
        typealias DomainState = Search
        typealias Action = SearchAction

        let clock: C
        let search: @Sendable (String) async throws -> [String]

        var body: some InteractorOf<Self> {
            DebounceInteractor(for: .milliseconds(300), clock: clock) {
                SearchInteractor(clock: clock, search: search)
            }
        }
    }

    /// Debounced and throttled by the clock of the system, each kind of action by itself.
    struct KeyedSearch: Interactor, Sendable {
        typealias DomainState = Search
        typealias Action = SearchAction

        let search: @Sendable (String) async throws -> [String]

        var body: some InteractorOf<Self> {
            ThrottleInteractor(for: .milliseconds(10), key: { $0.kind }) {
                DebounceInteractor(for: .milliseconds(10), key: { $0.kind }) {
                    SearchInteractor(clock: ContinuousClock(), search: search)
                }
            }
        }
    }

    @MainActor @Test func kindsOfActionsLeaveEachOtherAlone() async {
        let harness = InteractorTestHarness(initialState: Search(), interactor: KeyedSearch(search: { [$0] }))
        let typing = harness.send(.queryChanged("sw"))
        let refresh = harness.send(.refresh)
        #expect(await typing.finish() == .finished)
        #expect(await refresh.finish() == .finished)
        #expect(harness.receivedActions.filter { $0 == .found(["sw"]) }.count == 2)
    }

    @MainActor @Test func searchesOnce() async {
        let clock = TestClock()
        let harness = InteractorTestHarness(
            initialState: Search(),
            interactor: DebouncedSearch(clock: clock, search: { [$0] })
        )
        harness.send(.queryChanged("s"), .queryChanged("sw"))
        await clock.advance(by: .milliseconds(300))
        await harness.finish()
        harness.expectActions([.queryChanged("s"), .queryChanged("sw"), .found(["sw"])])
    }

    struct Offline: Error {}

    @MainActor @Test func givesUpAfterFourAttempts() async {
        let clock = TestClock()
        let harness = InteractorTestHarness(
            initialState: Search(),
            interactor: DebouncedSearch(clock: clock, search: { _ in throw Offline() })
        )
        let task = harness.send(.refresh)
        await clock.run()
        #expect(await task.finish() == .finished)
        harness.expectLatestState(Search(problem: "Offline()"))
    }

    @MainActor @Test func aSharedDebouncerKeepsItsCalls() async {
        let clock = TestClock()
        let debouncer = Debouncer<TestClock, SearchAction?>(for: .seconds(1), clock: clock)
        let interactor = Interact<Search, SearchAction> { state, action in
            switch action {
            case .queryChanged(let query):
                state.query = query
                return .perform { .found([query]) }.debounce(using: debouncer)
            case .refresh, .found, .failed:
                return .none
            }
        }
        let harness = InteractorTestHarness(initialState: Search(), interactor: interactor)
        harness.send(.queryChanged("s"), .queryChanged("sw"))
        await clock.advance(by: .seconds(1))
        await harness.finish()
        harness.expectActions([.queryChanged("s"), .queryChanged("sw"), .found(["sw"])])
    }

    @MainActor @Test func anEffectThatEndsItsWorkerWhenCancelledStillSendsItsAction() async {
        @Sendable func render(_ page: Int) -> String { "page \(page)" }
        enum Rendering: Equatable, Sendable { case show(Int), rendered(String) }
        let interactor = Interact<String, Rendering> { state, action in
            switch action {
            case .show(let page):
                return .perform { .rendered(render(page)) }
                    .whenCancelled(endingWorkerAfter: .seconds(2))
            case .rendered(let text):
                state = text
                return .none
            }
        }
        let harness = InteractorTestHarness(initialState: "", interactor: interactor)
        await harness.sendAndAwait(.show(1))
        harness.expectLatestState("page 1")
    }

    @MainActor @Test func aLoopInCIsEndedWithItsWorker() async {
        @Sendable func render(_ page: Int) -> String { "page \(page)" }
        enum Rendering: Equatable, Sendable { case show(Int), rendered(String) }
        let interactor = Interact<String, Rendering> { state, action in
            switch action {
            case .show(let page):
                return .perform { .rendered(render(page)) }
                    .timeout(.seconds(30), endingWorker: .seconds(2))
            case .rendered(let text):
                state = text
                return .none
            }
        }
        let harness = InteractorTestHarness(initialState: "", interactor: interactor)
        await harness.sendAndAwait(.show(1))
        harness.expectLatestState("page 1")
    }

    @MainActor @Test func effectsAreThrottled() async {
        let clock = TestClock()
        let interactor = ThrottleInteractor(for: .seconds(1), clock: clock, edges: .leading) {
            Interact<Search, SearchAction> { state, action in
                switch action {
                case .queryChanged(let query): return .perform { .found([query]) }
                case .refresh, .found, .failed: return .none
                }
            }
        }
        let harness = InteractorTestHarness(initialState: Search(), interactor: interactor)
        await harness.sendSequentially(.queryChanged("a"), .queryChanged("b"))
        await clock.advance(by: .seconds(1))
        await harness.sendAndAwait(.queryChanged("c"))
        #expect(harness.receivedActions.filter { $0 == .found(["a"]) || $0 == .found(["c"]) }.count == 2)
        #expect(!harness.receivedActions.contains(.found(["b"])))
    }
}
