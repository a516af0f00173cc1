/// Decides, turn by turn, whether to keep a copy of the state to compare with.
///
/// A kept copy makes the first change to a large array copy the whole array. So after a streak of turns that all
/// changed the state, most turns are taken for changes without looking; every now and then one is looked at, and the
/// first that changed nothing ends the streak. A state without references is always compared, its copy costs nothing.
package struct ChangeDetection: Sendable {
    /// Changes in a row after which turns are no longer looked at.
    package static let streak = 32
    /// During a streak, one of this many turns is looked at.
    package static let interval = 32

    private let isTrivial: Bool
    private var changesInRow = 0
    private var turnsUnseen = 0

    package init(isTrivial: Bool) {
        self.isTrivial = isTrivial
    }

    /// Whether the turn that begins is looked at: then a copy is kept and ``record(changed:)`` is called after it.
    package mutating func beginTurn() -> Bool {
        if isTrivial || changesInRow < Self.streak { return true }
        turnsUnseen += 1
        if turnsUnseen < Self.interval { return false }
        turnsUnseen = 0
        return true
    }

    /// Says what looking at a turn has shown.
    package mutating func record(changed: Bool) {
        changesInRow = changed ? min(changesInRow + 1, Self.streak) : 0
    }
}
