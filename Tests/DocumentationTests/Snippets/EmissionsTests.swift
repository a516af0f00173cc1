import Lattice
import LatticeTesting
import Testing

/// The blocks of Emissions.md.
@MainActor @Suite(.timeLimit(.minutes(10))) struct EmissionsTests {
    struct Feed: Equatable, Sendable {
        var items: [String] = []
        var page = 1
        var query = ""
        var progress = 0
        var isSaved = false
        var problem: String?
    }

    enum FeedAction: Equatable, Sendable {
        case refresh, loadMore, loadSafely, download, save
        case queryChanged(String)
        case cancelTapped
        case loaded([String])
        case found([String])
        case progressed(Int)
        case validate, saved, close
        case index(String)
        case indexed([String])
        case failed(String)
        case remove(String)
    }

    struct API: Sendable {
        var load: @Sendable (_ page: Int) async throws -> [String] = { ["page \($0)"] }
        var search: @Sendable (String) async throws -> [String] = { [$0] }
        var save: @Sendable () async throws -> Void = {}
        var download: @Sendable () -> AsyncStream<Int> = {
            AsyncStream { continuation in
                for percent in [50, 100] { continuation.yield(percent) }
                continuation.finish()
            }
        }
        var changes: @Sendable () -> AsyncStream<[String]> = { AsyncStream { $0.finish() } }
    }

    struct FeedInteractor: Interactor, Sendable {
        typealias DomainState = Feed
        typealias Action = FeedAction

        var api = API()

        var body: some InteractorOf<Self> {
            Interact { state, action in
                switch action {
                case .refresh:
                    return .merge(
                        .perform { .loaded(try await api.load(1)) },
                        .perform { .found(try await api.search("news")) }
                    )
                case .loadMore:
                    return .perform { [page = state.page] in
                        .loaded(try await api.load(page))
                    }
                case .remove(let item):
                    guard state.items.contains(item) else {
                        return .reject("Another client has removed \(item).", value: state.items)
                    }
                    state.items.removeAll { $0 == item }
                    return .none
                case .loadSafely:
                    return .perform {
                        .loaded(try await api.load(1))
                    } catch: { error in
                        .failed("\(error)")
                    }
                case .download:
                    return .run { send in
                        for await percent in api.download() {
                            await send(.progressed(percent))
                        }
                        await send(.saved)
                    }
                case .save:
                    return .append(
                        .action(.validate),
                        .perform {
                            try await api.save()
                            return .saved
                        },
                        .action(.close)
                    )
                case .queryChanged(let query):
                    state.query = query
                    return .perform { .found(try await api.search(query)) }
                        .cancellable(id: "search", cancelInFlight: true)
                case .cancelTapped:
                    return .cancel(id: "search")
                case .index(let text):
                    return .perform { .indexed(words(in: text)) }.on(.computing)
                case .loaded(let items), .found(let items), .indexed(let items): state.items += items
                case .progressed(let percent): state.progress = percent
                case .saved: state.isSaved = true
                case .failed(let problem): state.problem = problem
                case .validate, .close: break
                }
                return .none
            }
        }
    }

    struct Offline: Error {}

    @Test func workThatComputesHasThreadsApart() async {
        let harness = harness()
        await harness.sendAndAwait(.index("b a b"))
        harness.expectLatestState(Feed(items: ["a", "b"]))
    }

    private func harness(_ api: API = API()) -> InteractorTestHarness<Feed, FeedAction> {
        InteractorTestHarness(initialState: Feed(), interactor: FeedInteractor(api: api))
    }

    @Test func mergedEffectsAllRun() async {
        let harness = harness()
        await harness.sendAndAwait(.refresh)
        #expect(harness.currentState.items.sorted() == ["news", "page 1"])
    }

    @Test func anEffectCapturesValues() async {
        let harness = harness()
        await harness.sendAndAwait(.loadMore)
        harness.expectLatestState(Feed(items: ["page 1"]))
    }

    @Test func aCaughtErrorIsAnAction() async {
        let harness = harness(API(load: { _ in throw Offline() }))
        #expect(await harness.send(.loadSafely).finish() == .finished)
        harness.expectActions([.loadSafely, .failed("Offline()")])
    }

    @Test func anUncaughtErrorIsReported() async {
        let harness = harness(API(load: { _ in throw Offline() }))
        await withKnownIssue {
            let outcome = await harness.send(.loadMore).finish()
            #expect(outcome == .failed(EffectFailure(Offline())))
        } matching: {
            "\($0)".contains("An effect threw an error that nothing caught: Offline: Offline().")
        }
    }

    @Test func aRunSendsSeveralActions() async {
        let harness = harness()
        await harness.sendAndAwait(.download)
        harness.expectActions([.download, .progressed(50), .progressed(100), .saved])
    }

    @Test func stepsFollowOneAnother() async {
        let harness = harness()
        await harness.sendAndAwait(.save)
        harness.expectActions([.save, .validate, .saved, .close])
    }

    @Test func effectsAreCancelledByTheirID() async {
        let harness = harness(
            API(search: { _ in
                for await _ in AsyncStream<Never>.makeStream().stream {}
                return []
            })
        )
        let first = harness.send(.queryChanged("s"))
        let second = harness.send(.queryChanged("sw"))
        #expect(await first.finish() == .cancelled)
        harness.send(.cancelTapped)
        #expect(await second.finish() == .cancelled)
    }

    @Test func aRejectionAnswersItsSender() async throws {
        let viewModel = ViewModel(
            initialDomainState: Feed(items: ["bread"]),
            feature: Feature(interactor: FeedInteractor())
        )
        var printed = ""
        func print(_ reason: String, _ left: [String]) { printed = "\(reason) \(left)" }

        if case .rejected(let rejection) = await viewModel.sendViewEvent(.remove("milk")).finish() {
            let left = try rejection.value(as: [String].self) ?? []
            print(rejection.reason, left)
        }

        #expect(printed == "Another client has removed milk. [\"bread\"]")
        #expect(await viewModel.sendViewEvent(.remove("bread")).finish() == .finished)
    }

    @Test func everyOutcomeHasADescription() async {
        let viewModel = ViewModel(initialDomainState: Feed(), feature: Feature(interactor: FeedInteractor()))
        var printed = ""
        func print(_ item: some CustomStringConvertible) { printed = "\(item)" }

        let task = viewModel.sendViewEvent(.refresh)
        switch await task.finish() {
        case .finished: print("up to date")
        case .failed(let failure): print(failure.message)
        case .cancelled: print("cancelled")
        case .rejected(let rejection): print(rejection.reason)
        case .interrupted(let interruption): print(interruption)
        case .unknown(let unknown): print(unknown.reason)
        }

        #expect(printed == "up to date")
    }
}

private func words(in text: String) -> [String] {
    Set(text.split(separator: " ").map(String.init)).sorted()
}
