import IssueReportingTestSupport
import LatticeTesting
import Testing

@testable import LatticeCore

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct WhenTests {

    private let countChild = Interactors.When<Root, RootAction, _>(state: \.count, action: \.count) {
        ChildInteractor()
    }
    private let phaseChild = Interactors.When<Phase, PhaseAction, _>(state: \.counting, action: \.counting) {
        ChildInteractor()
    }

    // MARK: - Direct calls

    @Test("A child's action changes only the child's part, and no emission stays no emission (contract 20)")
    func property() {
        var state = Root()
        #expect(countChild.interact(state: &state, action: .count(.increment)).isNone)
        #expect(state == Root(count: Child(value: 1)))
    }

    @Test("Other actions pass through (contract 21)")
    func otherAction() {
        var state = Root()
        #expect(countChild.interact(state: &state, action: .note("a")).isNone)
        #expect(countChild.interact(state: &state, action: .other(.increment)).isNone)
        #expect(state == Root())
    }

    @Test("A child's action comes back in the parent's case, and is not handled (contract 22)")
    func emission() {
        var state = Root()
        let emission = countChild.interact(state: &state, action: .count(.echo(7)))
        guard case .action(let action) = emission.kind else {
            Issue.record("expected an action, got \(emission.kind)")
            return
        }
        #expect(action == .count(.echoed(7)))
        #expect(state == Root())
    }

    @Test("The payload of the active case is changed, and an inactive case is ignored without a report (contract 24)")
    func casePath() {
        var state = Phase.counting(Child())
        #expect(phaseChild.interact(state: &state, action: .counting(.increment)).isNone)
        #expect(state == .counting(Child(value: 1)))
        #expect(phaseChild.interact(state: &state, action: .leave).isNone)
        #expect(state == .counting(Child(value: 1)))

        state = .idle
        #expect(phaseChild.interact(state: &state, action: .counting(.increment)).isNone)
        #expect(phaseChild.interact(state: &state, action: .counting(.echo(1))).isNone)
        #expect(state == .idle)
    }

    @Test("An action for an inactive case is reported on request (W24)")
    func reportsInactive() {
        let reporting = Interactors.When<Phase, PhaseAction, _>(
            state: \.counting,
            action: \.counting,
            reportsInactive: true
        ) {
            ChildInteractor()
        }
        var state = Phase.idle
        withKnownIssue {
            _ = reporting.interact(state: &state, action: .counting(.increment))
        } matching: { issue in
            issue.comments.contains {
                $0.rawValue.contains(
                    """
                    PhaseAction was ignored: counting(LatticeCoreTests.ChildAction.increment). \
                    The part of the state that handles it does not exist. \
                    Send it only while that part exists, or omit reportsInactive if the action may arrive late.
                    """
                )
            }
        }
        // An action that is not the child's is not reported.
        _ = reporting.interact(state: &state, action: .leave)
    }

    // MARK: - The modifier

    @Test("The parent still handles its own actions, and each child has its own part (contract 23)")
    func modifiers() {
        let runtime = makeRuntime(
            Root(),
            of: Interact<Root, RootAction> { state, action in
                if case .note(let note) = action { state.notes.append(note) }
                return .none
            }
            .when(state: \.count, action: \.count) { ChildInteractor() }
            .when(state: \.computed, action: \.other) { ChildInteractor() }
            .when(state: \.other, action: \.sheet) { ChildInteractor() }
        )
        for action in [RootAction.count(.increment), .other(.increment), .sheet(.increment), .note("a")] {
            runtime.send(action)
        }
        #expect(runtime.state == Root(count: Child(value: 2), other: Child(value: 1), notes: ["a"]))
    }

    @Test("The child runs before its parent, and the last of several modifiers runs first (contract 43)")
    func order() {
        func note(_ note: String) -> some Interactor<Root, RootAction> & Sendable {
            Interact<Root, RootAction> { state, action in
                state.notes.append("\(note) \(state.count.value)")
                return .none
            }
        }
        let runtime = makeRuntime(
            Root(),
            of: note("parent")
                .when(state: \.count, action: \.count) {
                    Interact<Child, ChildAction> { state, _ in
                        state.value *= 10
                        return .none
                    }
                }
                .when(state: \.count, action: \.count) { ChildInteractor() }
        )
        runtime.send(.count(.increment))
        #expect(runtime.state.notes == ["parent 10"])
    }

    @Test func aChildIsABuilderClosure() {
        let isTwice = true
        let runtime = makeRuntime(
            Root(),
            of: EmptyInteractor<Root, RootAction>().when(state: \.count, action: \.count) {
                ChildInteractor()
                if isTwice { ChildInteractor() }
            }
        )
        runtime.send(.count(.increment))
        #expect(runtime.state.count.value == 2)
    }

    @Test func effectsOfAChildComeBack() async {
        let runtime = makeRuntime(Root(), of: countChild)
        #expect(await runtime.send(.count(.load(7))).finish() == .finished)
        runtime.send(.count(.echo(8)))
        #expect(runtime.state == Root(count: Child(log: [7, 8])))
    }

    @Test("State that a child keeps to itself persists between actions (W1)")
    func identity() async {
        let clock = TestClock()
        let runtime = makeRuntime(
            Root(),
            of: EmptyInteractor<Root, RootAction>().when(state: \.count, action: \.count) {
                DebounceInteractor(for: .seconds(1), clock: clock) { ChildInteractor() }
            }
        )
        let tasks = (1...3).map { runtime.send(.count(.load($0))) }
        await clock.advance(by: .seconds(1))
        for task in tasks { #expect(await task.finish() == .finished) }
        #expect(runtime.state.count.log == [3])
    }

    @Test("An observe inside a child ends with its event (W3)")
    func observeEnds() async {
        let started = Gate()
        let ended = Gate()
        let runtime = makeRuntime(
            Root(),
            of: EmptyInteractor<Root, RootAction>().when(state: \.count, action: \.count) {
                Interact<Child, ChildAction> { _, _ in
                    .observe {
                        AsyncStream { continuation in
                            continuation.onTermination = { _ in ended.open() }
                            started.open()
                        }
                    }
                }
            }
        )
        let task = runtime.send(.count(.increment))
        await started.wait()
        task.cancel()
        await ended.wait()
        #expect(await task.finish() == .cancelled)
    }
}

extension Emission {
    var isNone: Bool {
        if case .none = kind { true } else { false }
    }
}
