package import LatticeCore
package import LatticeWire

/// What a turn of the reactor brought for one channel besides a state.
package struct ChannelNews: Sendable {
    /// How an event ended, and whom to tell.
    package typealias Ending = ChannelOpener<EventCompletion>.Ending

    /// Whether what is shown is what the other side has.
    package enum Problem: Sendable, Equatable {
        /// It is older, since the newest state cannot be decoded.
        case exists(String)
        case solved
    }

    /// What changes seldom.
    private struct Status: Sendable {
        var host: HostStatus?
        var problem: Problem?
        var isOpened = false
        var rejection: EventRejection?
        var refusal: OpenRefusalCode?
        var isRevived = false
    }

    // Boxed, so that the news of most turns are two words and an array.
    private indirect enum Box: Sendable { case status(Status) }

    /// Events up to this number are part of the state.
    package var acknowledged: UInt64 = 0
    package var endings: [Ending] = []
    private var box: Box?

    private var status: Status {
        get { if case .status(let status)? = box { status } else { Status() } }
        set { box = .status(newValue) }
    }

    /// How things stand with what runs the feature, if that changed.
    package var host: HostStatus? {
        get { box == nil ? nil : status.host }
        set { status.host = newValue }
    }

    /// Whether newer states can be decoded, if that changed.
    package var problem: Problem? {
        get { box == nil ? nil : status.problem }
        set { status.problem = newValue }
    }

    /// The other side answered `open`.
    package var isOpened: Bool { box != nil && status.isOpened }
    /// The channel takes nothing any more.
    package var rejection: EventRejection? { box == nil ? nil : status.rejection }
    /// Why it takes nothing, if it is so.
    package var end: ChannelEnd? {
        rejection.map { ChannelEnd(rejection: $0, refusal: status.refusal) }
    }
    /// The channel takes events again after a rejection.
    package var isRevived: Bool { box != nil && status.isRevived }

    /// Whether nothing ended and nothing changed.
    var isEmpty: Bool { box == nil && endings.isEmpty }

    package init() {}

    /// Adds what came later.
    package mutating func merge(_ later: ChannelNews) {
        acknowledged = max(acknowledged, later.acknowledged)
        if endings.isEmpty { endings = later.endings } else { endings.append(contentsOf: later.endings) }
        guard later.box != nil else { return }
        if let later = later.host { host = later }
        if let later = later.problem { problem = later }
        if later.isOpened { reopen() }
        if later.isRevived { revive() }
        if let end = later.end {
            reject(end.rejection)
            status.refusal = end.refusal
        }
    }

    package mutating func reopen() {
        status.isOpened = true
        status.rejection = nil
    }

    package mutating func revive() {
        status.isRevived = true
        status.rejection = nil
    }

    /// The other side did not open the channel; after `reject`.
    package mutating func refuse(_ code: OpenRefusalCode) {
        status.refusal = code
    }

    package mutating func reject(_ rejection: EventRejection) {
        status.rejection = rejection
        status.refusal = nil
        status.isOpened = false
        status.isRevived = false
    }
}
