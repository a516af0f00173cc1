package import LatticeCore

/// What one turn of the reactor brought for one channel besides a state.
package struct ChannelNews: Sendable {
    /// How things stand with what runs the feature, if that changed.
    package var host: HostStatus?
    /// Events up to this number are part of the state.
    package var acknowledged: UInt64 = 0
    /// The other side answered `open`.
    package var isOpened = false
    package var endings: [EventEnding] = []
    /// The channel takes nothing any more.
    package var rejection: EventRejection?

    package init() {}

    /// Adds what came later.
    package mutating func merge(_ later: ChannelNews) {
        if later.host != nil { host = later.host }
        acknowledged = max(acknowledged, later.acknowledged)
        isOpened = isOpened || later.isOpened
        if endings.isEmpty { endings = later.endings } else { endings.append(contentsOf: later.endings) }
        if later.rejection != nil { rejection = later.rejection }
    }
}
