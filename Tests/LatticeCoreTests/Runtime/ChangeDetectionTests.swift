import LatticeCore
import Testing

struct ChangeDetectionTests {
    /// Runs turns that end as `changes` says, and gives for each whether it was looked at.
    private func looks(isTrivial: Bool = false, isLarge: Bool, changes: [Bool]) -> [Bool] {
        var detection = ChangeDetection(isTrivial: isTrivial)
        return changes.map { changed in
            let looks = detection.beginTurn()
            if looks {
                detection.record(changed: changed)
                if detection.isMeasuringDue { detection.record(isLarge: isLarge) }
            }
            return looks
        }
    }

    @Test("40: of a small state, or one without references, every turn is looked at", arguments: [true, false])
    func smallStatesAreAlwaysCompared(isTrivial: Bool) {
        let seen = looks(isTrivial: isTrivial, isLarge: isTrivial, changes: Array(repeating: true, count: 200))
        #expect(seen.allSatisfy { $0 })
    }

    @Test("W12: of a large state turns are looked at ever more seldom")
    func largeStatesAreSeldomCompared() {
        let seen = looks(isLarge: true, changes: Array(repeating: true, count: 5_000)).enumerated()
            .filter { $0.element }.map(\.offset)
        #expect(seen == [0, 2, 5, 10, 19, 36, 69, 134, 263, 520, 1_033, 2_058, 3_083, 4_108])
    }

    @Test func aTurnWithoutChangeEndsThat() {
        let turns = [true, true, false, false, true, true, false, true]
        #expect(looks(isLarge: true, changes: turns) == [true, false, true, true, true, false, true, true])
    }

    @Test func whatWasSeenIsNotLookedAt() {
        var detection = ChangeDetection(isTrivial: false)
        var looks = 0
        for _ in 0..<5_000 {
            if detection.beginTurn() {
                looks += 1
                detection.record(changed: true)
                if detection.isMeasuringDue { detection.record(isLarge: true) }
            } else {
                detection.confirmChange()
            }
        }
        #expect(looks == 1)
    }

    @Test func smallStatesMayBePassedOverWhereThatIsAllowed() {
        var detection = ChangeDetection(isTrivial: false, looksAtSmall: false)
        var looks: [Int] = []
        for turn in 0..<100 where detection.beginTurn() {
            looks.append(turn)
            detection.record(changed: true)
            if detection.isMeasuringDue { detection.record(isLarge: false) }
        }
        #expect(looks == [0, 1, 2, 3, 5, 8, 13, 22, 39, 72])
    }

    @Test func aStateThatGrowsIsMeasuredAgain() {
        var detection = ChangeDetection(isTrivial: false)
        var looks = 0
        for turn in 0..<500 where detection.beginTurn() {
            looks += 1
            detection.record(changed: true)
            if detection.isMeasuringDue { detection.record(isLarge: turn > 100) }
        }
        // Measured at the first turn, the 65th and the 129th, which finds that it has grown.
        #expect(looks == 129 + 8)
    }

    /// 1,000 numbers, and whether changing one has moved them.
    private struct Numbers: Equatable, Sendable {
        var values = Array(0..<1_000)
        var copies = 0

        mutating func change(_ index: Int) {
            let before = values.withUnsafeBufferPointer { $0.baseAddress }
            values[index] += 1
            let after = values.withUnsafeBufferPointer { $0.baseAddress }
            if before != after { copies += 1 }
        }
    }

    @Test("W12: a streak of changes does not copy the state")
    @MainActor
    func longStreaksDoNotCopyTheState() {
        let runtime = makeRuntime(Numbers()) { (state: inout Numbers, action: Int) in
            state.change(action)
            return .none
        }
        var changes = 0
        runtime.onTurn = { if $0 { changes += 1 } }
        for action in 0..<500 { runtime.send(action) }
        #expect(changes == 500)
        // Each look that sees a change.
        #expect(runtime.state.copies == 9)
    }

    @Test("W12: changes that are shown do not copy the state", arguments: [(true, 1), (false, 9)])
    @MainActor
    func changesThatAreShownDoNotCopyTheState(isShown: Bool, copies: Int) {
        let viewModel = ViewModel(
            initialDomainState: Numbers(),
            feature: Feature(
                interactor: Interact<Numbers, Int> { state, action in
                    state.change(action)
                    return .none
                },
                reducer: BuildViewState<Numbers, [Int]>(initial: { _ in [] }) { state, shown in
                    shown = [state.copies]
                    if isShown { shown.append(state.values.prefix(500).reduce(0, +)) }
                }
            )
        )
        for action in 0..<500 { viewModel.sendViewEvent(action) }
        #expect(viewModel.viewState[0] == copies)
    }

    private struct State: Equatable, Sendable {
        var count = 0
        var names = ["a"]
    }

    @Test("40: a comparison of the feature's own is asked after many changes too")
    @MainActor
    func anOwnComparisonIsAskedAfterManyChanges() {
        let viewModel = ViewModel(
            initialDomainState: State(),
            feature: Feature(
                interactor: Interact<State, Int> { state, action in
                    state.count += action
                    if action == 0 { state.names.append("b") }
                    return .none
                },
                reducer: BuildViewState<State, Int>(initial: { _ in 0 }) { $1 = $0.names.count },
                areStatesEqual: { $0.count == $1.count }
            )
        )
        for _ in 0..<100 { viewModel.sendViewEvent(1) }
        // Not while the state is small, whatever came before.
        viewModel.sendViewEvent(0)
        #expect(viewModel.viewState == 1)
        viewModel.sendViewEvent(1)
        #expect(viewModel.viewState == 2)
    }

    @Test("40: the reducer does not run for an action that changes nothing")
    @MainActor
    func theReducerIsSkipped() {
        let reductions = Shared(0)
        let viewModel = ViewModel(
            initialDomainState: State(),
            feature: Feature(
                interactor: Interact<State, Int> { state, action in
                    state.count += action
                    return .none
                },
                reducer: BuildViewState<State, Int>(initial: { _ in 0 }) { state, shown in
                    reductions.update { $0 += 1 }
                    shown = state.count
                }
            )
        )
        let before = reductions.value
        for action in [1, 0, 0, 1, 0] { viewModel.sendViewEvent(action) }
        #expect(reductions.value - before == 2)
    }
}
