/// Decides, turn by turn, whether to keep a copy of the state to compare with.
///
/// A kept copy makes the first change to a large array copy the whole array. So after a few turns in a row that all
/// changed the state, turns are taken for changes without looking. One whose change was seen otherwise, in the view
/// state, was taken rightly. Of the others one is looked at now and then, ever more seldom while they are changes, and
/// the first that changed nothing ends the streak. A state without references is always compared, its copy costs
/// nothing; and so is one that is compared in a way of its own, since that may pass over changes on purpose.
package struct ChangeDetection: Sendable {
    /// Changes in a row after which turns are no longer looked at.
    package static let streak = 16
    /// Of so many turns whose change nobody has seen one is looked at, at least.
    package static let longestInterval = 1024

    private let alwaysLooks: Bool
    private var changesInRow = 0
    /// Turns of the streak whose change nobody has seen, since one was looked at.
    private var turnsUnseen = 0
    /// So many of them until one is looked at.
    private var interval = 1

    package init(alwaysLooks: Bool) {
        self.alwaysLooks = alwaysLooks
    }

    /// Whether the turn that begins is looked at: then a copy is kept and ``record(changed:)`` is called after it.
    package mutating func beginTurn() -> Bool {
        if alwaysLooks || changesInRow < Self.streak { return true }
        if turnsUnseen == interval {
            turnsUnseen = 0
            return true
        }
        turnsUnseen += 1
        return false
    }

    /// Says what looking at a turn has shown.
    package mutating func record(changed: Bool) {
        if !changed {
            changesInRow = 0
            interval = 1
        } else if changesInRow < Self.streak {
            changesInRow += 1
        } else {
            interval = min(2 * interval, Self.longestInterval)
        }
    }

    /// Says that the turn that was not looked at has changed something all the same.
    package mutating func confirmChange() {
        turnsUnseen -= 1
    }
}
