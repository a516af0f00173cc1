import LatticeCore
import Testing

struct ChangeDetectionTests {
    /// Runs turns that all end as `changes` says, and gives for each whether it was looked at.
    private func looks(alwaysLooks: Bool, changes: [Bool]) -> [Bool] {
        var detection = ChangeDetection(alwaysLooks: alwaysLooks)
        return changes.map { changed in
            let looks = detection.beginTurn()
            if looks { detection.record(changed: changed) }
            return looks
        }
    }

    @Test func someStatesAreAlwaysCompared() {
        #expect(looks(alwaysLooks: true, changes: Array(repeating: true, count: 200)).allSatisfy { $0 })
    }

    @Test func aStreakIsLookedAtEverMoreSeldom() {
        let seen = looks(alwaysLooks: false, changes: Array(repeating: true, count: 5_000)).enumerated()
            .filter { $0.element }.map(\.offset)
        #expect(
            seen == Array(0..<16) + [17, 20, 25, 34, 51, 84, 149, 278, 535, 1_048, 2_073, 3_098, 4_123]
        )
    }

    @Test(arguments: [
        // Turns with a change, then one without: how many of the 40 that follow, all changing, are looked at.
        (3, 20), (16, 5), (17, 20), (20, 20),
    ])
    func aTurnWithoutChangeEndsTheStreak(changes: Int, looksAfter: Int) {
        let turns = Array(repeating: true, count: changes) + [false] + Array(repeating: true, count: 40)
        let seen = looks(alwaysLooks: false, changes: turns).suffix(40).filter { $0 }.count
        #expect(seen == looksAfter)
    }

    @Test func whatWasSeenIsNotLookedAt() {
        var detection = ChangeDetection(alwaysLooks: false)
        var looks = 0
        for _ in 0..<5_000 {
            if detection.beginTurn() {
                looks += 1
                detection.record(changed: true)
            } else {
                detection.confirmChange()
            }
        }
        #expect(looks == ChangeDetection.streak)
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
        #expect(runtime.state.copies == ChangeDetection.streak + 8)
    }

    @Test("W12: changes that are shown do not copy the state", arguments: [(true, 16), (false, 24)])
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

    @Test("40: a comparison of the feature's own is asked each time")
    @MainActor
    func anOwnComparisonIsAskedEachTime() {
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
