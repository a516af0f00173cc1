/// Decides, turn by turn, whether to keep a copy of the state to compare with.
///
/// A kept copy makes the first change to an array copy the whole array. For a small state that is next to nothing, and
/// every turn is looked at. Of a large one, turns are taken for changes without looking, once a turn was seen to be one.
/// One whose change was seen otherwise, in the view state, was taken rightly. Of the others one is looked at now and
/// then, ever more seldom while they are changes; the first that changed nothing ends this. Where a state that has not
/// changed may be passed on, all states are treated so, after a few changes in a row.
package struct ChangeDetection: Sendable {
    /// Of so many turns whose change nobody has seen one is looked at, at least.
    package static let longestInterval = 1024
    /// After how many looks the state is measured again: it may have grown.
    package static let looksPerMeasuring = 64

    /// Changes in a row after which turns of a small state may be passed over, where that is allowed.
    package static let streak = 4

    private let isTrivial: Bool
    private let looksAtSmall: Bool
    private var isLarge = false
    private var looksUntilMeasuring = 0
    /// Turns before that were changes, as far as anybody knows; counted up to ``streak``.
    private var changesInRow = 0
    /// Turns that were taken for changes and that nobody has seen, since one was looked at.
    private var turnsUnseen = 0
    /// So many of them until one is looked at.
    private var interval = 1

    /// - Parameters:
    ///   - isTrivial: whether the state has no references, so that a copy costs nothing.
    ///   - looksAtSmall: whether every turn of a small state is looked at.
    package init(isTrivial: Bool, looksAtSmall: Bool = true) {
        self.isTrivial = isTrivial
        self.looksAtSmall = looksAtSmall
    }

    private var mayPassOver: Bool {
        isLarge ? changesInRow > 0 : !looksAtSmall && !isTrivial && changesInRow >= Self.streak
    }

    /// Whether the turn that begins is looked at: then a copy is kept and ``record(changed:)`` is called after it.
    package mutating func beginTurn() -> Bool {
        guard mayPassOver else { return true }
        if turnsUnseen == interval {
            turnsUnseen = 0
            return true
        }
        turnsUnseen += 1
        return false
    }

    /// Says what looking at a turn has shown.
    package mutating func record(changed: Bool) {
        if looksUntilMeasuring > 0 { looksUntilMeasuring -= 1 }
        if !changed {
            interval = 1
        } else if mayPassOver {
            interval = min(2 * interval, Self.longestInterval)
        }
        changesInRow = changed ? min(changesInRow + 1, Self.streak) : 0
    }

    /// Whether ``record(isLarge:)`` is to be called: only changes cost a copy, and of a state with references.
    package var isMeasuringDue: Bool { !isTrivial && changesInRow > 0 && looksUntilMeasuring == 0 }

    /// Says whether copying what a turn changes costs much.
    package mutating func record(isLarge: Bool) {
        self.isLarge = isLarge
        looksUntilMeasuring = Self.looksPerMeasuring
    }

    /// Says that the turn that was not looked at has changed something all the same.
    package mutating func confirmChange() {
        turnsUnseen -= 1
    }
}
