import LatticeCore
import LatticeTesting
import Testing

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct InteractorTestHarnessTests {
    private typealias State = CounterInteractor.State
    private typealias Harness = InteractorTestHarness<CounterInteractor.State, CounterInteractor.Action>

    private func makeHarness(_ interactor: CounterInteractor = CounterInteractor()) -> Harness {
        InteractorTestHarness(initialState: CounterInteractor.State(), interactor: interactor)
    }

    // MARK: - History

    @Test("The history begins with the initial state and has one entry for each change (contracts 25, 32)")
    func history() throws {
        let harness = makeHarness()
        #expect(harness.states == [State()])
        #expect(harness.latestState == State())
        harness.send(.increment)
        harness.send(.increment, .increment, .reset)
        try harness.assertStates([State(), State(count: 1), State(count: 2), State(count: 3), State()])
        try harness.assertLatestState(State())
        try harness.assertActions([.increment, .increment, .increment, .reset])
        #expect(harness.currentState == State())
    }

    @Test("An action that changes nothing is in the list of actions, but not in the history of states (contract 46)")
    func unchanged() throws {
        let harness = makeHarness()
        let task = harness.send(.nothing)
        #expect(!task.hasEffects)
        harness.send(.reset)
        try harness.assertStates([State()])
        try harness.assertActions([.nothing, .reset])
    }

    @Test("Actions that are emitted synchronously have their own entries, in the order of processing (contract 28)")
    func synchronousActions() throws {
        let harness = makeHarness()
        harness.send(.twice(2), .increment)
        try harness.assertActions([.twice(2), .add(2), .increment])
        try harness.assertStates([State(), State(count: 2), State(count: 4), State(count: 5)])
    }

    @Test func ownComparison() throws {
        let harness = Harness(
            initialState: State(),
            interactor: CounterInteractor(),
            areStatesEqual: { $0.isLoading == $1.isLoading }
        )
        harness.send(.increment)
        #expect(harness.states == [State()])
        #expect(harness.currentState == State(count: 1))
    }

    // MARK: - Effects

    @Test("The action of a perform is handled before finish returns (contract 26)")
    func perform() async throws {
        let harness = makeHarness()
        let task = harness.send(.load)
        #expect(task.hasEffects)
        try harness.assertLatestState(State(isLoading: true))
        await task.finish()
        try harness.assertStates([State(), State(isLoading: true), State(count: 42)])
        try harness.assertActions([.load, .loaded(42)])
    }

    @Test("A perform without a result emits nothing (contract 26)")
    func performWithoutResult() async throws {
        let harness = makeHarness(CounterInteractor(load: { nil }))
        await harness.sendAndAwait(.load)
        try harness.assertActions([.load])
    }

    @Test("Observe emits one action per element, sends may come between, and its end ends the event (contract 31)")
    func observe() async throws {
        let (numbers, continuation) = AsyncStream<Int>.makeStream()
        let harness = makeHarness(CounterInteractor(numbers: { numbers }))
        let task = harness.send(.observe)
        harness.send(.increment)
        continuation.yield(1)
        try await harness.waitForStates(count: 3)
        continuation.yield(2)
        try await harness.waitForStates(count: 4)
        harness.send(.increment)
        continuation.finish()
        await task.finish()
        try harness.assertStates([0, 1, 2, 4, 5].map { State(count: $0) })
    }

    @Test func sendSequentiallyWaitsForEachEvent() async throws {
        let harness = makeHarness()
        await harness.sendSequentially(.load, .increment, .load)
        try harness.assertActions([.load, .loaded(42), .increment, .load, .loaded(42)])
    }

    @Test func waitForStatesGivesUp() async throws {
        let harness = makeHarness()
        harness.send(.increment)
        try await harness.waitForStates(count: 2)
        let error = try await #require(throws: Harness.TimeoutError.self) {
            try await harness.waitForStates(count: 3, timeout: .milliseconds(10))
        }
        #expect("\(error)" == "Timed out waiting for 3 states. The history has 2, including the initial state.")
        let waiter = Task { try await harness.waitForStates(count: 3, timeout: .seconds(1000)) }
        await Task.megaYield()
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
    }

    // MARK: - Failures

    @Test("An assertion that throws gives its location and the differences (W39)")
    func assertionErrors() throws {
        let harness = makeHarness()
        harness.send(.increment)
        let table: [(() throws -> Void, String)] = [
            (
                { try harness.assertStates([State(), State(count: 2)]) },
                """
                The history of states is not the expected one:

                      [
                        [0]: CounterInteractor.State(…),
                        [1]: CounterInteractor.State(
                    -     count: 2,
                    +     count: 1,
                          isLoading: false
                        )
                      ]

                (- expected, + actual)
                """
            ),
            (
                { try harness.assertLatestState(State()) },
                """
                The newest state is not the expected one:

                      CounterInteractor.State(
                    -   count: 0,
                    +   count: 1,
                        isLoading: false
                      )

                (- expected, + actual)
                """
            ),
            (
                { try harness.assertActions([.reset]) },
                """
                The history of actions is not the expected one:

                      [
                    -   [0]: .reset
                    +   [0]: .increment
                      ]

                (- expected, + actual)
                """
            ),
        ]
        for (assertion, message) in table {
            let error = try #require(throws: Harness.AssertionError.self) { try assertion() }
            #expect(error.message == message)
            #expect("\(error.file)" == #fileID)
            #expect(error.description == "\(error.file):\(error.line): \(message)")
        }
    }

    @Test("The same assertions can fail the test at their location (W39)")
    func expectations() async {
        let harness = makeHarness()
        harness.send(.increment)
        harness.expectStates([State(), State(count: 1)])
        harness.expectLatestState(State(count: 1))
        harness.expectActions([.increment])
        let line = #line + 2
        let issues = await collectIssues {
            harness.expectStates([])
            harness.expectLatestState(State())
            harness.expectActions([])
        }
        #expect(issues.map(\.line) == [line, line + 1, line + 2].map(UInt.init))
        #expect(
            issues.map { $0.message.prefix { $0 != "\n" } } == [
                "The history of states is not the expected one:",
                "The newest state is not the expected one:",
                "The history of actions is not the expected one:",
            ]
        )
        withKnownIssue {
            harness.expectActions([.reset])
        } matching: { issue in
            issue.sourceLocation?.fileID == #fileID
        }
    }

    @Test("Finish waits for all effects, and fails the test at its location if some do not end (W39)")
    func finish() async {
        let harness = makeHarness()
        harness.send(.load)
        await harness.finish()
        #expect(harness.latestState == State(count: 42))
        harness.send(.wait, .increment)
        let task = harness.send(.wait)
        let line = #line + 2
        let issues = await collectIssues {
            await harness.finish(timeout: .milliseconds(10))
            task.cancel()
            await harness.finish(timeout: .milliseconds(10))
        }
        #expect(
            issues == [
                ReportedIssue(
                    message: """
                        Effects of these actions are still running after 0.01 seconds:

                            CounterInteractor.Action.wait
                            CounterInteractor.Action.wait

                        If an effect waits for a clock, advance the test clock. If it should run until the end of the \
                        test, cancel the task that `send` returned. If it only takes long, give `finish` a longer \
                        timeout.
                        """,
                    line: UInt(line)
                ),
                ReportedIssue(
                    message: """
                        Effects of this action are still running after 0.01 seconds:

                            CounterInteractor.Action.wait

                        If an effect waits for a clock, advance the test clock. If it should run until the end of the \
                        test, cancel the task that `send` returned. If it only takes long, give `finish` a longer \
                        timeout.
                        """,
                    line: UInt(line + 2)
                ),
            ]
        )
    }

    @Test func effectsEndWithTheHarness() async {
        let stopped = Signal()
        let (numbers, continuation) = AsyncStream<Int>.makeStream()
        continuation.onTermination = { _ in stopped.open() }
        var harness: Harness? = makeHarness(CounterInteractor(numbers: { numbers }))
        let task = harness?.send(.observe)
        continuation.yield(1)
        try? await harness?.waitForStates(count: 2)
        harness = nil
        await stopped.wait()
        #expect(await task?.finish() == .cancelled)
    }
}
