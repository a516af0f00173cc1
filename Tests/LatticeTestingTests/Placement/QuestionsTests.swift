import LatticeCore
import LatticeTesting
import Testing

extension LibraryFeature: AnsweringFeature {
    enum Question: Codable, Sendable {
        case titles(beginning: String)
        /// The place of a book that must exist.
        case place(of: String)
        /// Never answered.
        case never
    }

    struct Missing: Error, Codable, Sendable, Equatable {
        let title: String
    }

    static func answer(
        _ question: Question,
        from state: DomainState,
        in context: HostContext
    ) async throws(Missing) -> [String] {
        switch question {
        case .titles(let beginning):
            return state.books.filter { $0.hasPrefix(beginning) }
        case .place(let title):
            guard let place = state.books.firstIndex(of: title) else { throw Missing(title: title) }
            return ["\(place)"]
        case .never:
            for await _ in AsyncStream<Never>.makeStream().stream {}
            return []
        }
    }
}

/// Tests questions of a test view model to its feature, in each placement.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct QuestionsTests {
    private func with(
        _ placement: TestPlacement,
        _ body: @MainActor (TestViewModel<LibraryFeature>) async throws -> Void
    ) async throws {
        try await withTestViewModel(of: LibraryFeature.self, placement: placement, timeout: .seconds(120), body)
    }

    @Test(arguments: TestPlacement.allCases)
    func theAnswerIsOfTheStateThatTheFeatureHas(placement: TestPlacement) async throws {
        try await with(placement) { viewModel in
            let before = try await viewModel.ask(.titles(beginning: ""))
            #expect(before.isEmpty)
            await viewModel.send(.copy("Emma")) { $0.books = ["Emma"] }
            // The second one was not received yet: that is the test's business.
            let titles = try await viewModel.ask(.titles(beginning: "Em"))
            #expect(titles == ["Emma", "Emma"])
            await viewModel.receive(.arrived("Emma")) { $0.books = ["Emma", "Emma"] }
            let others = try await viewModel.ask(.titles(beginning: "U"))
            #expect(others.isEmpty)
            await viewModel.finish()
        }
    }

    @Test(arguments: TestPlacement.allCases)
    func itsErrorIsThrown(placement: TestPlacement) async throws {
        try await with(placement) { viewModel in
            await #expect(throws: LibraryFeature.Missing(title: "Ulysses")) {
                try await viewModel.ask(.place(of: "Ulysses"))
            }
        }
    }

    @Test(arguments: TestPlacement.allCases)
    func aDeadlineEndsIt(placement: TestPlacement) async throws {
        try await with(placement) { viewModel in
            for limit in [Duration.milliseconds(30), .zero] {
                let error = await #expect(throws: QuestionError.self) {
                    try await viewModel.ask(.never, deadline: .now + limit)
                }
                #expect(error?.code == .deadlinePassed)
            }
        }
    }

    @Test(arguments: TestPlacement.allCases)
    func cancellingTheAskerEndsIt(placement: TestPlacement) async throws {
        try await with(placement) { viewModel in
            let question = Task { try await viewModel.ask(.never) }
            question.cancel()
            await #expect(throws: CancellationError.self) { try await question.value }
        }
    }
}
