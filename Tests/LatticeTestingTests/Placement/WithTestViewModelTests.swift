import LatticeCore
import Testing

@testable import LatticeTesting

/// Tests one body in each placement.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct WithTestViewModelTests {
    private typealias State = LibraryFeature.DomainState

    private func with(
        _ placement: TestPlacement,
        timeout: Duration = .seconds(120),
        line: UInt = #line,
        _ body: @MainActor (TestViewModel<LibraryFeature>) async throws -> Void
    ) async throws {
        try await withTestViewModel(of: LibraryFeature.self, placement: placement, timeout: timeout, line: line, body)
    }

    @Test(arguments: TestPlacement.allCases)
    func everyActionIsAsserted(placement: TestPlacement) async throws {
        try await with(placement) { viewModel in
            #expect(viewModel.domainState == State())
            let task = await viewModel.send(.order("Emma")) { $0.ordered = 1 }
            #expect(viewModel.viewState.text == "")
            await viewModel.receive(.arrived("Emma")) { $0 = State(books: ["Emma"]) }
            await task.finish()
            #expect(task.outcome == .finished)
            viewModel.assertViewState(.init(text: "Emma"))
            await viewModel.send(.copy("Ulysses")) { $0.books = ["Emma", "Ulysses"] }
            viewModel.assertViewState(.init(text: "Emma, Ulysses"))
            await viewModel.receive(.arrived("Ulysses")) { $0.books.append("Ulysses") }
            await viewModel.send(.forget) { $0 = State() }
            await viewModel.finish()
        }
    }

    @Test("Steps run strictly in order (contract 27)", arguments: TestPlacement.allCases)
    func stepsInOrder(placement: TestPlacement) async throws {
        try await with(placement) { viewModel in
            let books = ["a", "b", "c", "d"]
            await viewModel.send(.orderAll(books))
            for (index, book) in books.enumerated() {
                await viewModel.receive(.order(book)) { $0.ordered = 1 }
                await viewModel.receive(.arrived(book)) { $0 = State(books: Array(books[...index])) }
            }
            await viewModel.finish()
        }
    }

    @Test("The handled actions and their events are the same in each placement")
    func sameHistory() async throws {
        var histories: [[String]] = []
        for placement in TestPlacement.allCases {
            var history: [String] = []
            try await with(placement) { viewModel in
                viewModel.exhaustivity = .off()
                for action in [.order("a"), .orderAll(["b", "c"]), .copy("d")] as [LibraryFeature.Action] {
                    await viewModel.send(action).finish()
                    history += viewModel.received.map { "\($0.handled.event) \($0.action): \($0.viewState.text)" }
                    await viewModel.skipReceivedActions()
                }
            }
            histories.append(history)
        }
        #expect(
            histories[0] == [
                "1 arrived(\"a\"): a",
                "2 order(\"b\"): a",
                "2 arrived(\"b\"): a, b",
                "2 order(\"c\"): a, b",
                "2 arrived(\"c\"): a, b, c",
                "3 arrived(\"d\"): a, b, c, d, d",
            ]
        )
        #expect(histories[0] == histories[1])
    }

    @Test(
        "A rejected action is handled, changes nothing, and its sentence and value arrive",
        arguments: TestPlacement.allCases
    )
    func rejecting(placement: TestPlacement) async throws {
        try await with(placement) { viewModel in
            await viewModel.send(.donate("Emma")) { $0.books = ["Emma"] }
            let task = await viewModel.send(.donate("Emma"))
            await task.finish()
            guard case .rejected(let rejection) = task.outcome else {
                Issue.record("\(String(describing: task.outcome))")
                return
            }
            #expect(rejection.code == .declined)
            #expect(rejection.reason == "The library has this book.")
            let books = try rejection.value(as: Int.self)
            #expect(books == 1)
            #expect(viewModel.domainState.books == ["Emma"])
            await viewModel.send(.donate("Ulysses")) { $0.books = ["Emma", "Ulysses"] }
            await viewModel.finish()
        }
    }

    @Test("A test fails if an interactor changes the state before it rejects", arguments: TestPlacement.allCases)
    func changingAndRejecting(placement: TestPlacement) async throws {
        try await with(placement) { viewModel in
            await withKnownIssue { await viewModel.send(.changeAndReject) }
            await viewModel.finish()
        }
    }

    @Test(arguments: TestPlacement.allCases)
    func cancelling(placement: TestPlacement) async throws {
        try await with(placement) { viewModel in
            let task = await viewModel.send(.wait)
            await task.cancel()
            #expect(task.isCancelled)
            #expect(task.outcome == .cancelled)
            await viewModel.send(.wait)
            await viewModel.skipInFlightEffects()
            let failed = await viewModel.send(.fail)
            await failed.finish()
            #expect(failed.outcome == .cancelled)
            await viewModel.finish()
        }
    }

    @Test("Failures are the same in each placement", arguments: TestPlacement.allCases)
    func failures(placement: TestPlacement) async throws {
        let line = UInt(#line) + 2
        let issues = try await collectIssues {
            try await with(placement) { viewModel in
                await viewModel.send(.copy("a"))
                await viewModel.send(.forget) { $0 = State() }
                await viewModel.receive(.arrived("b"))
                await viewModel.send(.wait)
                await viewModel.receive(.forget, timeout: .milliseconds(10))
            }
        }
        #expect(issues.map(\.line) == [1, 2, 3, 5, 0].map { line + $0 })
        #expect(
            issues.map { $0.message.prefix { $0 != "\n" } } == [
                "This action changed the state, but no change was expected:",
                "1 received action was not asserted before the next one was sent:",
                "This action was expected, and none will come, because no effect is running:",
                "This action was expected, and none came within 0.01 seconds:",
                "Effects of this action were still running at the end:",
            ]
        )
    }

    @Test("A body that throws gets no report of unasserted actions", arguments: TestPlacement.allCases)
    func throwing(placement: TestPlacement) async throws {
        let messages = await collectMessages {
            await #expect(throws: LibraryFeature.NotFound.self) {
                try await with(placement) { viewModel in
                    await viewModel.send(.wait)
                    throw LibraryFeature.NotFound()
                }
            }
        }
        #expect(messages == [])
    }

    @Test("A view model does nothing after its end", arguments: TestPlacement.allCases)
    func afterTheEnd(placement: TestPlacement) async throws {
        var escaped: TestViewModel<LibraryFeature>?
        try await with(placement) { escaped = $0 }
        let messages = await collectMessages {
            await escaped?.send(.forget)
            escaped = nil
        }
        #expect(messages.count == 1)
        #expect(messages.first?.hasPrefix("This action was sent but not handled. It was rejected: ") == true)
    }

    @Test("Several simultaneous events come back in order", arguments: TestPlacement.allCases)
    func manyEvents(placement: TestPlacement) async throws {
        try await with(placement) { viewModel in
            for number in 1...100 {
                await viewModel.send(.order("\(number)")) { $0.ordered = 1 }
                await viewModel.receive(.arrived("\(number)")) { state in
                    state.ordered = 0
                    state.books.append("\(number)")
                }
            }
            await viewModel.finish()
        }
    }

    @Test("Actions that the test has received are not sent again")
    func logIsShort() {
        var state = WatchedFeature<LibraryFeature>.initialDomainState(in: HostContext())
        let interactor = WatchedFeature<LibraryFeature>.interactor(in: HostContext())._resolve()
        for number in 0..<10 {
            let action = WatchedFeature<LibraryFeature>.Action(
                base: .arrived("a"),
                event: number,
                isSent: true,
                seen: max(0, number - 2)
            )
            _ = interactor.interact(state: &state, action: action)
        }
        #expect(state.count == 10)
        #expect(state.entries.map(\.event) == [7, 8, 9])
        #expect(state.base.books.count == 10)
    }

    @Test func placementsHaveNames() {
        #expect(TestPlacement.allCases.map(\.description) == ["local", "memory worker"])
    }
}
