package import LatticeCore

/// What a turn of the reactor brought for one channel besides a state.
package struct ChannelNews: Sendable {
    /// How an event ended, and whom to tell.
    package struct Ending: Sendable {
        package let completion: EventCompletion
        package let outcome: EventOutcome
    }

    /// How things stand with what runs the feature, if that changed.
    package var host: HostStatus?
    /// Events up to this number are part of the state.
    package var acknowledged: UInt64 = 0
    /// The other side answered `open`.
    package var isOpened = false
    package var endings: [Ending] = []
    /// The channel takes nothing any more.
    package var rejection: EventRejection?
    /// The channel takes events again after a rejection.
    package var isRevived = false

    package init() {}

    /// Adds what came later.
    package mutating func merge(_ later: ChannelNews) {
        if later.host != nil { host = later.host }
        acknowledged = max(acknowledged, later.acknowledged)
        if endings.isEmpty { endings = later.endings } else { endings.append(contentsOf: later.endings) }
        if later.isOpened { reopen() }
        if later.isRevived { revive() }
        if let later = later.rejection { reject(later) }
    }

    package mutating func reopen() {
        isOpened = true
        rejection = nil
    }

    package mutating func revive() {
        isRevived = true
        rejection = nil
    }

    package mutating func reject(_ rejection: EventRejection) {
        self.rejection = rejection
        isOpened = false
        isRevived = false
    }
}
