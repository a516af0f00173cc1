import Lattice
import LatticeTesting
import Testing

@testable import SearchProgram

@MainActor @Suite(.timeLimit(.minutes(10)))
struct SearchInteractorTests {
    private let clock = TestClock()

    private func makeViewModel(
        _ search: @escaping @Sendable (String) async throws -> Found
    ) -> TestViewModel<Feature<SearchAction, SearchState, SearchViewState>> {
        let interactor = SearchInteractor(clock: clock, search: search)
        return TestViewModel(
            initialDomainState: SearchState(),
            feature: Feature(interactor: interactor, reducer: SearchReducer())
        )
    }

    private nonisolated static func found(_ text: String) -> Found {
        Found(text: text, matches: [Match(path: "a.txt", line: 3, text: "has \(text)")], total: 1)
    }

    @Test("A debounced child inside body searches once, for the last text (W1)")
    func typingFast() async {
        let viewModel = makeViewModel { Self.found($0) }
        for text in ["l", "la", "lat"] {
            await viewModel.send(.query(.typed(text))) {
                $0.query.text = text
                $0.results = .waiting
            }
        }
        await clock.advance(by: .milliseconds(299))
        await clock.advance(by: .milliseconds(1))
        await viewModel.receive(.query(.found(Self.found("lat")))) {
            $0.results = .found(Self.found("lat").matches, total: 1)
        }
        viewModel.assertViewState(SearchViewState(lines: ["lat: 1 line", "a.txt:3: has lat"]))
        await viewModel.finish()
    }

    @Test func anEmptyTextEndsTheSearch() async {
        let viewModel = makeViewModel { Self.found($0) }
        await viewModel.send(.query(.typed("l"))) {
            $0.query.text = "l"
            $0.results = .waiting
        }
        await viewModel.send(.query(.typed(""))) {
            $0.query.text = ""
            $0.results = .none
        }
        await clock.advance(by: .seconds(1))
        await viewModel.finish()
    }

    @Test func resultsForAnOlderTextAreDropped() async {
        let viewModel = makeViewModel { Self.found($0) }
        await viewModel.send(.query(.typed("new"))) {
            $0.query.text = "new"
            $0.results = .waiting
        }
        // Nothing changes: it is the answer to another text.
        await viewModel.send(.query(.found(Self.found("old"))))
        await clock.advance(by: .milliseconds(300))
        await viewModel.receive(.query(.found(Self.found("new")))) {
            $0.results = .found(Self.found("new").matches, total: 1)
        }
        await viewModel.finish()
    }

    @Test func aFailureIsShown() async {
        let viewModel = makeViewModel { _ in throw SearchError(sentence: "The disk is gone.") }
        await viewModel.send(.query(.typed("x"))) {
            $0.query.text = "x"
            $0.results = .waiting
        }
        await clock.advance(by: .milliseconds(300))
        await viewModel.receive(.query(.failed(text: "x", reason: "The disk is gone."))) {
            $0.results = .failed("The disk is gone.")
        }
        viewModel.assertViewState(SearchViewState(lines: ["The disk is gone."]))
        await viewModel.finish()
    }
}
