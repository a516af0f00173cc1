import LatticeCore
import Testing

struct ChangeDetectionTests {
    /// Runs turns that all end as `changes` says, and gives for each whether it was looked at.
    private func looks(isTrivial: Bool, changes: [Bool]) -> [Bool] {
        var detection = ChangeDetection(isTrivial: isTrivial)
        return changes.map { changed in
            let looks = detection.beginTurn()
            if looks { detection.record(changed: changed) }
            return looks
        }
    }

    @Test func trivialStatesAreAlwaysCompared() {
        #expect(looks(isTrivial: true, changes: Array(repeating: true, count: 200)).allSatisfy { $0 })
    }

    @Test func aStreakIsLookedAtNowAndThen() {
        let seen = looks(isTrivial: false, changes: Array(repeating: true, count: 128)).enumerated()
            .filter { $0.element }.map(\.offset)
        #expect(seen == Array(0..<32) + [63, 95, 127])
    }

    @Test(arguments: [
        // Turns with a change, then one without: how many of the 40 that follow, all changing, are looked at.
        (31, 32), (32, 1), (63, 32), (5, 32),
    ])
    func aTurnWithoutChangeEndsTheStreak(changes: Int, looksAfter: Int) {
        let turns = Array(repeating: true, count: changes) + [false] + Array(repeating: true, count: 40)
        let seen = looks(isTrivial: false, changes: turns).suffix(40).filter { $0 }.count
        #expect(seen == looksAfter)
    }

    @Test("W12: a streak of changes does not copy the state")
    @MainActor
    func longStreaksDoNotCopyTheState() {
        struct State: Equatable, Sendable {
            var values = Array(0..<1_000)
            var copies = 0
        }
        let runtime = makeRuntime(State()) { (state: inout State, action: Int) in
            let before = state.values.withUnsafeBufferPointer { $0.baseAddress }
            state.values[action] += 1
            let after = state.values.withUnsafeBufferPointer { $0.baseAddress }
            if before != after { state.copies += 1 }
            return .none
        }
        var changes = 0
        runtime.onTurn = { if $0 { changes += 1 } }
        for action in 0..<320 { runtime.send(action) }
        #expect(changes == 320)
        #expect(runtime.state.copies == ChangeDetection.streak + (320 - 32) / ChangeDetection.interval)
    }
}
