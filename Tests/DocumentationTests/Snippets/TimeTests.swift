import Lattice
import LatticeTesting
import Testing

/// The blocks of Time.md.
@Suite(.timeLimit(.minutes(3))) struct TimeTests {
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
                    .retry(.exponential(limit: .seconds(10), attempts: 4), clock: clock)
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
