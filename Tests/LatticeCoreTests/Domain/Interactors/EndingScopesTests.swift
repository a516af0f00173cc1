import Dispatch
import Testing

@testable import LatticeCore

/// Tests that effects of a child end when its part of the state is gone (W24).
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct EndingScopesTests {
    private let started = Gate()
    private let cancelled = Gate()

    private func makeRuntime(endsEffects: Bool) -> FeatureRuntime<Phase, PhaseAction> {
        LatticeCoreTests.makeRuntime(
            .counting(Child()),
            of: Interact<Phase, PhaseAction> { state, action in
                switch action {
                case .enter: state = .counting(Child())
                case .leave: state = .idle
                case .leaveAndEnter: return .merge(.action(.leave), .action(.enter))
                case .counting: break
                }
                return .none
            }
            .when(state: \.counting, action: \.counting, endsEffects: endsEffects) { ChildInteractor() }
        )
    }

    @Test("Leaving the case ends its effects (W24)", arguments: [PhaseAction.leave, .leaveAndEnter])
    func leaving(action: PhaseAction) async {
        let runtime = makeRuntime(endsEffects: true)
        let task = runtime.send(.counting(.wait(started, cancelled)))
        await started.wait()
        #expect(runtime.turn.groups.scopeCount == 1)
        #expect(await runtime.send(action).finish() == .finished)
        #expect(await task.finish() == .cancelled)
        await cancelled.wait()
        #expect(runtime.turn.groups.scopeCount == 0)
        #expect(runtime.turn.groups.isEmpty)
    }

    @Test("By default effects continue after their case is left (W24)")
    func byDefault() async {
        let runtime = makeRuntime(endsEffects: false)
        let task = runtime.send(.counting(.wait(started, cancelled)))
        await started.wait()
        #expect(await runtime.send(.leave).finish() == .finished)
        #expect(task.outcome == nil)
        #expect(runtime.turn.groups.isEmpty)
        task.cancel()
        #expect(await task.finish() == .cancelled)
    }

    @Test("The effects of actions that effects emitted end too (W24)")
    func laterEffects() async {
        let runtime = makeRuntime(endsEffects: true)
        let task = runtime.send(.counting(.waitLater(started, cancelled)))
        await started.wait()
        runtime.send(.leave)
        #expect(await task.finish() == .cancelled)
        await cancelled.wait()
    }

    @Test func staying() async {
        let runtime = makeRuntime(endsEffects: true)
        #expect(await runtime.send(.counting(.load(7))).finish() == .finished)
        runtime.send(.counting(.echo(8)))
        #expect(runtime.state == .counting(Child(log: [7, 8])))
        #expect(runtime.turn.groups.scopeCount == 0)
    }

    @Test func effectsAfterComingBackAreNew() async {
        let runtime = makeRuntime(endsEffects: true)
        let first = runtime.send(.counting(.wait(started, cancelled)))
        await started.wait()
        runtime.send(.leave)
        runtime.send(.enter)
        #expect(await first.finish() == .cancelled)
        #expect(await runtime.send(.counting(.load(1))).finish() == .finished)
        #expect(runtime.state == .counting(Child(log: [1])))
    }

    /// The child asks for an effect in the very action with which its parent leaves the case.
    @Test func anEffectOfTheLastActionNeverStarts() async {
        let starts = Shared(0)
        let runtime = LatticeCoreTests.makeRuntime(
            .counting(Child()),
            of: Interact<Phase, PhaseAction> { state, _ in
                state = .idle
                return .none
            }
            .when(state: \.counting, action: \.counting, endsEffects: true) {
                Interact<Child, ChildAction> { _, _ in
                    .append(
                        .perform {
                            starts.increment()
                            return nil
                        },
                        .perform {
                            starts.increment()
                            return nil
                        }
                    )
                }
            }
        )
        #expect(await runtime.send(.counting(.increment)).finish() == .cancelled)
        #expect(starts.value == 0)
        #expect(runtime.turn.groups.isEmpty)
    }

    /// In this test the case is entered again in the turn that the elements of a stream share.
    @Test func anEffectOfTheLastActionNeverStartsForTheNextChild() async {
        let starts = Shared(0)
        let allRead = DispatchSemaphore(value: 0)
        let read = Shared(0)
        let stream = AsyncStream<PhaseAction>(unfolding: {
            read.increment()
            switch read.value {
            case 1: return .counting(.increment)
            case 2: return .enter
            default: allRead.signal()
            }
            return nil
        })
        let runtime = LatticeCoreTests.makeRuntime(
            .counting(Child()),
            of: Interact<Phase, PhaseAction> { state, action in
                switch action {
                case .leave: return .observe { stream }
                case .enter: state = .counting(Child())
                default: state = .idle
                }
                return .none
            }
            .when(state: \.counting, action: \.counting, endsEffects: true) {
                Interact<Child, ChildAction> { _, _ in
                    .perform {
                        starts.increment()
                        return nil
                    }
                }
            }
        )
        let task = runtime.send(.leave)
        // Both elements have come before the first is handled.
        #expect(holdThread(until: allRead))
        #expect(await task.finish() == .cancelled)
        #expect(starts.value == 0)
        #expect(runtime.state == .counting(Child()))
    }

    @Test("Effects in ifLet end when the state becomes nil (W40)", arguments: [true, false])
    func ifLet(endsEffects: Bool) async {
        let runtime = LatticeCoreTests.makeRuntime(
            Root(sheet: Child()),
            of: Interact<Root, RootAction> { state, action in
                if case .note("close") = action { state.sheet = nil }
                return .none
            }
            .ifLet(state: \.sheet, action: \.sheet, endsEffects: endsEffects) { ChildInteractor() }
        )
        runtime.send(.sheet(.increment))
        #expect(runtime.state.sheet?.value == 1)
        let task = runtime.send(.sheet(.wait(started, cancelled)))
        await started.wait()
        runtime.send(.note("close"))
        runtime.send(.sheet(.increment))
        #expect(runtime.state.sheet == nil)
        if !endsEffects {
            #expect(task.outcome == nil)
            task.cancel()
        }
        #expect(await task.finish() == .cancelled)
        await cancelled.wait()
    }

    @Test func ifLetReportsActionsForNilOnRequest() {
        var state = Root()
        let reporting = Interactors.IfLet<Root, RootAction, _>(
            state: \.sheet,
            action: \.sheet,
            reportsInactive: true
        ) { ChildInteractor() }
        withKnownIssue {
            _ = reporting.interact(state: &state, action: .sheet(.increment))
        } matching: { issue in
            issue.comments.contains { $0.rawValue.hasSuffix("or omit reportsInactive if the action may arrive late.") }
        }
    }

    /// An optional in a case, in a body: the inner child goes with the outer one.
    @Test(arguments: [true, false])
    func childrenOfChildren(outerEndsEffects: Bool) async {
        let runtime = LatticeCoreTests.makeRuntime(
            .open(Root(sheet: Child())),
            of: Outer(endsEffects: outerEndsEffects).eraseToAnyInteractor()
        )
        let task = runtime.send(.inner(.sheet(.wait(started, cancelled))))
        await started.wait()
        runtime.send(.inner(.note("other")))
        #expect(task.outcome == nil)
        runtime.send(.close)
        #expect(await task.finish() == .cancelled)
        await cancelled.wait()
        #expect(runtime.turn.groups.scopeCount == 0)
    }
}

private enum OuterState: CasePathable, Equatable, Sendable {
    case closed
    case open(Root)

    struct AllCasePaths {
        var open: AnyCasePath<OuterState, Root> {
            AnyCasePath(embed: { .open($0) }, extract: { if case .open(let value) = $0 { value } else { nil } })
        }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
}

private enum OuterAction: CasePathable, Sendable {
    case close
    case inner(RootAction)

    struct AllCasePaths {
        var inner: AnyCasePath<OuterAction, RootAction> {
            AnyCasePath(embed: { .inner($0) }, extract: { if case .inner(let value) = $0 { value } else { nil } })
        }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
}

private struct Inner: Interactor, Sendable {
    var body: some Interactor<Root, RootAction> {
        EmptyInteractor<Root, RootAction>()
            .ifLet(state: \.sheet, action: \.sheet) { ChildInteractor() }
            .when(state: \.count, action: \.count) { ChildInteractor() }
    }
}

private struct Outer: Interactor, Sendable {
    let endsEffects: Bool

    var body: some Interactor<OuterState, OuterAction> {
        Interact<OuterState, OuterAction> { state, action in
            if case .close = action { state = .closed }
            return .none
        }
        .when(state: \.open, action: \.inner, endsEffects: endsEffects) { Inner() }
        EmptyInteractor()
    }
}
