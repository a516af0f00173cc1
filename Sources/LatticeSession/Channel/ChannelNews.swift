package import LatticeWire

/// Who waits for the end of an event.
package protocol EventTicket: AnyObject, Sendable {
    /// The event has ended so. Any thread; once.
    func ended(_ outcome: WireOutcome)
}

/// What one tick of the event loop brought for a channel besides a state.
package struct ChannelNews: Sendable {
    /// How an event ended, and whom to tell.
    package typealias Ending = ChannelClientState<any EventTicket>.Ending

    /// Whether what is shown is what the other side has.
    package enum Problem: Sendable, Equatable {
        /// It is older, since the newest state cannot be decoded.
        case exists(String)
        case solved
    }

    /// How things stand with what runs the feature.
    package struct Host: Sendable, Equatable {
        package let status: HostStatusMessage
        /// The life of the coordinator that says so.
        package let coordinator: UInt64?

        package init(status: HostStatusMessage, coordinator: UInt64?) {
            self.status = status
            self.coordinator = coordinator
        }
    }

    /// What changes seldom.
    private struct Status: Sendable {
        var host: Host?
        var problem: Problem?
        var isOpened = false
        var end: ChannelEnd?
        var isRevived = false
    }

    // Boxed, so that the news of most ticks are two words and an array.
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
    package var host: Host? {
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
    /// Why the channel takes nothing any more, if it is so.
    package var end: ChannelEnd? { box == nil ? nil : status.end }
    /// The channel takes events again after an end.
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
        if let end = later.end { close(end) }
    }

    package mutating func reopen() {
        status.isOpened = true
        status.end = nil
    }

    package mutating func revive() {
        status.isRevived = true
        status.end = nil
    }

    package mutating func close(_ end: ChannelEnd) {
        status.end = end
        status.isOpened = false
        status.isRevived = false
    }
}

/// Why a channel takes no events, and how those end that are sent on it.
package struct ChannelEnd: Error, Sendable, Equatable {
    /// What an event is told that is sent on the channel.
    package let code: RejectionCode
    /// A sentence that says what to do.
    package let reason: String
    /// The code with which the other side did not open it; nil if it did, or was not there to be asked.
    package let refusal: OpenRefusalCode?

    package init(code: RejectionCode = .closed, reason: String, refusal: OpenRefusalCode? = nil) {
        self.code = code
        self.reason = reason
        self.refusal = refusal
    }

    /// The other side did not open the channel.
    init(_ refused: OpenRefused) {
        let code: RejectionCode =
            switch refused.code {
            case .schema: .schema
            case .tooMany: .overloaded
            default: .closed
            }
        self.init(code: code, reason: refused.reason, refusal: refused.code)
    }

    /// How an event ends that is sent now.
    package var outcome: WireOutcome { .rejected(code: code, reason: reason) }

    /// This side has left the channel.
    static var left: ChannelEnd {
        ChannelEnd(reason: "The feature is not open here; open it again before sending.")
    }
}
