import LatticeCore
import LatticeTesting

/// The interactor that the tests of the test view model run.
struct ScoreInteractor: Interactor, Sendable {
    struct DomainState: Sendable, Equatable {
        var points = 0
        var isLoading = false
    }

    enum Action: Sendable, Equatable {
        case add(Int)
        case nothing
        /// Loads points, and adds them.
        case load
        case loaded(Int)
        /// Adds one, synchronously, before its own effects.
        case double(Int)
        /// Adds each, in order.
        case observe
        /// Loads in one hop, and adds in a second one.
        case loadTwice
        case search(Int)
        /// Adds one after the other.
        case steps([Int])
        case wait
    }

    var load: @Sendable () async -> Int? = { 5 }
    var numbers: @Sendable () async -> AsyncStream<Int> = { AsyncStream { $0.finish() } }
    var clock = TestClock()
    var waiting: @Sendable () async throws -> Void = { for await _ in AsyncStream<Never>.makeStream().stream {} }

    var body: some InteractorOf<Self> {
        Interact { state, action in
            switch action {
            case .add(let points): state.points += points
            case .nothing: break
            case .load:
                state.isLoading = true
                return .perform { [load] in await load().map(Action.loaded) }
            case .loaded(let points):
                state.isLoading = false
                state.points += points
            case .double(let points):
                state.points += points
                return .merge([.action(.add(points)), .perform { .loaded(100) }])
            case .observe:
                return Emission<Int>.observe(numbers).map { .add($0) }
            case .loadTwice:
                return .perform { .load }
            case .search(let points):
                return .perform { [clock] in
                    try await clock.sleep(for: .milliseconds(300))
                    return .add(points)
                }
                .cancellable(id: "search", cancelInFlight: true)
            case .steps(let steps):
                return .append(steps.map { step in .perform { .add(step) } })
            case .wait:
                return .perform { [waiting] in
                    try await waiting()
                    return nil
                }
            }
            return .none
        }
    }
}

extension ScoreInteractor.Action: CasePathable {
    struct AllCasePaths {
        var loaded: AnyCasePath<ScoreInteractor.Action, Int> {
            AnyCasePath(embed: { .loaded($0) }, extract: { if case .loaded(let points) = $0 { points } else { nil } })
        }
        var add: AnyCasePath<ScoreInteractor.Action, Int> {
            AnyCasePath(embed: { .add($0) }, extract: { if case .add(let points) = $0 { points } else { nil } })
        }
    }

    static var allCasePaths: AllCasePaths { AllCasePaths() }
}

typealias ScoreFeature = Feature<ScoreInteractor.Action, ScoreInteractor.DomainState, String>

extension ScoreFeature {
    init(_ interactor: ScoreInteractor = ScoreInteractor()) {
        self.init(
            interactor: interactor,
            reducer: BuildViewState<ScoreInteractor.DomainState, String>(
                initial: { _ in "" },
                reducerBlock: { $1 = $0.isLoading ? "\($0.points)…" : "\($0.points)" }
            )
        )
    }
}

@MainActor
func makeViewModel(
    _ interactor: ScoreInteractor = ScoreInteractor(),
    timeout: Duration = .seconds(120),
    file: StaticString = #filePath,
    line: UInt = #line
) -> TestViewModel<ScoreFeature> {
    TestViewModel(
        initialDomainState: ScoreInteractor.DomainState(),
        feature: ScoreFeature(interactor),
        timeout: timeout,
        file: file,
        line: line
    )
}
