import LatticeCore
import LatticeTesting
import Testing

/// A value that differs from other values and shows nothing of the difference.
struct Secret: Sendable, Equatable, CustomReflectable {
    var value = 0
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Every failure of the test view model, word for word, at the line that it belongs to.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct TestViewModelFailureTests {
    private typealias State = ScoreInteractor.DomainState
    private struct Failure: Error {}

    private static let advice = """
        If an effect waits for a clock, advance the test clock. If it should run until the end of the test, \
        cancel the task that `send` returned, or cancel all effects with `skipInFlightEffects()`. If it only takes \
        long, wait with a longer timeout.
        """

    /// Runs `body` with a view model that nothing is left of, and expects these messages.
    private func expect(
        _ expected: String...,
        timeout: Duration = .seconds(120),
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: @MainActor (TestViewModel<ScoreFeature>) async -> Void
    ) async {
        let messages = await collectMessages {
            let viewModel = makeViewModel(timeout: timeout)
            await body(viewModel)
            await viewModel.skipInFlightEffects(strict: false)
            await viewModel.skipReceivedActions(strict: false)
        }
        #expect(messages == expected, sourceLocation: sourceLocation)
    }

    // MARK: - States

    @Test func anotherState() async {
        await expect(
            """
            The state after this action is not the expected one:

                ScoreInteractor.Action.add(2)

                  ScoreInteractor.DomainState(
                -   points: 3,
                +   points: 2,
                    isLoading: false
                  )

            (- expected, + actual)
            """
        ) { viewModel in
            await viewModel.send(.add(2)) { $0.points = 3 }
            // The next assertion starts from the actual state.
            await viewModel.send(.add(1)) { $0.points = 3 }
        }
    }

    @Test func anUnexpectedChange() async {
        await expect(
            """
            This action changed the state, but no change was expected:

                ScoreInteractor.Action.add(2)

                  ScoreInteractor.DomainState(
                -   points: 0,
                +   points: 2,
                    isLoading: false
                  )

            (- expected, + actual)
            """
        ) { await $0.send(.add(2)) }
    }

    @Test func aChangeThatIsAbsent() async {
        await expect(
            """
            This action left the state unchanged, but a change was expected:

                ScoreInteractor.Action.nothing

                  ScoreInteractor.DomainState(
                -   points: 1,
                +   points: 0,
                    isLoading: false
                  )

            (- expected, + actual)
            """
        ) { viewModel in
            await viewModel.send(.nothing) { $0.points = 1 }
        }
    }

    @Test func aClosureThatChangesNothing() async {
        await expect(
            """
            This action left the state unchanged, and so does the closure that describes the expected change. Leave \
            the closure out:

                ScoreInteractor.Action.nothing
            """
        ) { viewModel in
            await viewModel.send(.nothing) { $0.points = 0 }
        }
    }

    @Test func aClosureThatThrows() async {
        await expect(
            """
            The closure that describes the state after this action threw an error, Failure():

                ScoreInteractor.Action.nothing
            """
        ) { viewModel in
            await viewModel.send(.nothing) { _ in throw Failure() }
        }
    }

    @Test func aDifferenceThatIsNotVisible() async {
        let feature = Feature<Int, Secret, Secret>(
            interactor: Interact<Secret, Int> { state, action in
                state.value = action
                return .none
            }
        )
        let messages = await collectMessages {
            let viewModel = TestViewModel(initialDomainState: Secret(), feature: feature)
            await viewModel.send(1)
        }
        #expect(
            messages == [
                """
                This action changed the state, but no change was expected:

                    1

                Not equal, but no difference is visible in:

                    LatticeTestingTests.Secret
                """
            ]
        )
    }

    @Test func anotherViewState() async {
        await expect(
            """
            The view state is not the expected one:

                - "1"
                + "0"

            (- expected, + actual)
            """
        ) { $0.assertViewState("1") }
    }

    // MARK: - Actions

    @Test func sendingWhileActionsWait() async {
        await expect(
            """
            2 received actions were not asserted before the next one was sent:

                ScoreInteractor.Action.add(1)
                ScoreInteractor.Action.add(2)

            Assert each with `receive`, or skip what does not matter with `skipReceivedActions()`.

            The next action is:

                ScoreInteractor.Action.add(3)
            """
        ) { viewModel in
            await viewModel.send(.steps([1, 2])).finish()
            // Their states are taken over, so that only this is complained about.
            await viewModel.send(.add(3)) { $0.points = 6 }
        }
    }

    @Test func anotherAction() async {
        await expect(
            """
            The received action is not the expected one:

                - ScoreInteractor.Action.add(2)
                + ScoreInteractor.Action.add(1)

            (- expected, + actual)
            """,
            """
            The received action is not one that the predicate accepts:

                ScoreInteractor.Action.add(2)
            """,
            """
            The received action is not of the expected case 'loaded':

                ScoreInteractor.Action.add(3)
            """
        ) { viewModel in
            await viewModel.send(.steps([1, 2, 3, 4]))
            await viewModel.receive(.add(2)) { $0.points = 2 }
            await viewModel.receive({ $0 == .add(3) })
            await viewModel.receive(\.loaded)
            // Each was taken over with its state.
            await viewModel.receive(\.add) { $0.points = 10 }
        }
    }

    @Test func anActionThatDoesNotComeAlthoughEffectsRun() async {
        let running = """
            Effects of this action are running:

                ScoreInteractor.Action.wait

            \(Self.advice)
            """
        await expect(
            """
            This action was expected, and none came within 0.01 seconds:

                ScoreInteractor.Action.loaded(1)

            \(running)
            """,
            """
            An action that the predicate accepts was expected, and none came within 0.02 seconds.

            \(running)
            """,
            """
            An action of the case 'loaded' was expected, and none came within 0.02 seconds.

            \(running)
            """,
            timeout: .milliseconds(20)
        ) { viewModel in
            await viewModel.send(.wait)
            await viewModel.receive(.loaded(1), timeout: .milliseconds(10))
            await viewModel.receive { _ in true }
            await viewModel.receive(\.loaded)
        }
    }

    @Test func anActionThatCannotComeIsNotWaitedFor() async {
        await expect(
            """
            This action was expected, and none will come, because no effect is running:

                ScoreInteractor.Action.loaded(1)
            """,
            timeout: .seconds(1000)
        ) { await $0.receive(.loaded(1)) }
    }

    @Test func receivedActionsAtTheEnd() async {
        let left = """
            1 received action was not asserted at the end:

                ScoreInteractor.Action.loaded(5)

            Assert each with `receive`, or skip what does not matter with `skipReceivedActions()`.
            """
        let line = #line + 4
        let issues = await collectIssues {
            let viewModel = makeViewModel()
            await viewModel.send(.load) { $0.isLoading = true }
            await viewModel.finish()
            #expect(viewModel.domainState == State(points: 5))
            // The failure was reported already.
            await viewModel.finish()
        }
        #expect(issues == [ReportedIssue(message: left, line: UInt(line))])

        let deinitLine = #line + 2
        let issuesOfDeinit = await collectIssues {
            let viewModel = makeViewModel()
            await viewModel.send(.load) { $0.isLoading = true }.finish()
        }
        #expect(issuesOfDeinit == [ReportedIssue(message: left, line: UInt(deinitLine))])
    }

    // MARK: - Effects

    @Test func effectsAtTheEnd() async {
        let line = #line + 5
        let issues = await collectIssues {
            let viewModel = makeViewModel()
            await viewModel.send(.wait)
            await viewModel.send(.wait)
            await viewModel.finish(timeout: .milliseconds(10))
            // The failure was reported already.
        }
        #expect(
            issues == [
                ReportedIssue(
                    message: """
                        Effects of these actions are still running after 0.01 seconds:

                            ScoreInteractor.Action.wait
                            ScoreInteractor.Action.wait

                        \(Self.advice)
                        """,
                    line: UInt(line)
                )
            ]
        )

        let deinitLine = #line + 2
        let issuesOfDeinit = await collectIssues {
            let viewModel = makeViewModel()
            await viewModel.send(.wait)
        }
        #expect(
            issuesOfDeinit == [
                ReportedIssue(
                    message: """
                        Effects of this action were still running at the end:

                            ScoreInteractor.Action.wait

                        \(Self.advice)
                        """,
                    line: UInt(deinitLine)
                )
            ]
        )
    }

    @Test func aTaskThatDoesNotEnd() async {
        await expect(
            """
            Effects of this action are still running after 0.01 seconds:

                ScoreInteractor.Action.wait

            \(Self.advice)
            """
        ) { viewModel in
            let task = await viewModel.send(.wait)
            await task.finish(timeout: .milliseconds(10))
        }
    }

    @Test func nothingToSkip() async {
        await expect(
            "There are no received actions to skip.",
            "There are no effects to skip, because none is running."
        ) { viewModel in
            await viewModel.skipReceivedActions()
            await viewModel.skipInFlightEffects()
        }
    }

    @Test func anErrorThatNothingCatchesIsReportedToo() async {
        let messages = await collectMessages {
            let viewModel = makeViewModel(ScoreInteractor(waiting: { throw Failure() }))
            let task = await viewModel.send(.wait)
            await task.finish()
            #expect(task.outcome == .failed(EffectFailure(type: "Failure", message: "Failure()")))
            await viewModel.finish()
        }
        #expect(
            messages == [
                """
                An effect threw an error that nothing caught: Failure: Failure(). \
                Handle it in the effect, or use .perform(_:catch:) to turn it into an action.
                """
            ]
        )
    }

    // MARK: - Exhaustivity off

    @Test func withExhaustivityOffAssertionsMustStillHold() async {
        await expect(
            """
            The state after this action is not the expected one:

                ScoreInteractor.Action.add(2)

                  ScoreInteractor.DomainState(
                -   points: 3,
                +   points: 2,
                    isLoading: false
                  )

            (- expected, + actual)
            """,
            """
            This action was expected, and none will come, because no effect is running:

                ScoreInteractor.Action.loaded(1)

            Received instead:

                ScoreInteractor.Action.add(7)
            """
        ) { viewModel in
            viewModel.exhaustivity = .off()
            await viewModel.send(.add(2)) { $0.points = 3 }
            await viewModel.send(.steps([7])).finish()
            await viewModel.receive(.loaded(1))
        }
    }

    @Test func skippedActionsCanBeShown() async {
        let issues = await collectIssues {
            let viewModel = makeViewModel()
            viewModel.exhaustivity = .off(showSkippedAssertions: true)
            await viewModel.send(.add(2))
            await viewModel.send(.steps([1, 2, 3])).finish()
            await viewModel.receive(.add(2)) { $0.points = 5 }
            await viewModel.send(.wait)
            await viewModel.finish(timeout: .milliseconds(10))
            await viewModel.skipInFlightEffects()
            await viewModel.send(.steps([4])).finish()
            await viewModel.skipReceivedActions()
        }
        #expect(issues.allSatisfy { $0.isWarning && $0.line > 0 })
        #expect(
            issues.map(\.message) == [
                """
                This action changed more of the state than was asserted:

                    ScoreInteractor.Action.add(2)

                      ScoreInteractor.DomainState(
                    -   points: 0,
                    +   points: 2,
                        isLoading: false
                      )

                (- expected, + actual)
                """,
                """
                1 received action was skipped:

                    ScoreInteractor.Action.add(1)
                """,
                """
                1 received action was not asserted before the next one was sent:

                    ScoreInteractor.Action.add(3)

                Assert each with `receive`, or skip what does not matter with `skipReceivedActions()`.

                The next action is:

                    ScoreInteractor.Action.wait
                """,
                """
                Effects of this action are still running after 0.01 seconds:

                    ScoreInteractor.Action.wait

                \(Self.advice)
                """,
                """
                Effects of this action were cancelled:

                    ScoreInteractor.Action.wait
                """,
                """
                1 received action was skipped:

                    ScoreInteractor.Action.add(4)
                """,
            ]
        )
    }

    // MARK: - Where

    @Test func failuresAreAtTheLineOfTheCall() async {
        let line = UInt(#line) + 4
        let issues = await collectIssues {
            let viewModel = makeViewModel(timeout: .milliseconds(10))
            viewModel.exhaustivity = .on
            await viewModel.send(.add(1))
            await viewModel.send(.steps([1]))
            await viewModel.receive(.add(2))
            await viewModel.receive { _ in true }
            await viewModel.receive(\.loaded)
            viewModel.assertViewState("")
            await viewModel.skipReceivedActions()
            await viewModel.skipInFlightEffects()
            await viewModel.send(.wait).finish()
            await viewModel.finish()
        }
        #expect(issues.map(\.line) == [0, 2, 3, 4, 5, 6, 7, 8, 9].map { line + $0 })
        await withKnownIssue {
            await makeViewModel().send(.add(1))
        } matching: { issue in
            issue.sourceLocation?.fileID == #fileID && issue.sourceLocation?.line == #line - 2
        }
    }
}
