package import LatticeWire

/// Who waits for the end of an event.
package protocol EventPromise: AnyObject, Sendable {
    /// The event has ended so. Any thread; once.
    ///
    /// - Parameter report: What is known of the end of the worker that is why; nil: nothing, or it is not.
    func ended(_ outcome: WireOutcome, report: TerminationReport?)
}

extension EventPromise {
    /// The event has ended so, without the end of a worker.
    package func ended(_ outcome: WireOutcome) {
        ended(outcome, report: nil)
    }
}

/// What one tick of the event loop brought for a channel besides a state.
package struct ChannelUpdate: Sendable {
    /// How an event ended, and whom to tell.
    package typealias Ending = ChannelClientState<any EventPromise>.Ending

    /// How things stand with what runs the feature.
    package struct HostReport: Sendable, Equatable {
        package let status: HostStatusMessage
        /// The life of the coordinator that says so.
        package let coordinator: UInt64?

        package init(status: HostStatusMessage, coordinator: UInt64?) {
            self.status = status
            self.coordinator = coordinator
        }
    }

    /// The worker died that had the channel, while events or effects ran there.
    package struct Interrupted: Sendable {
        package let cause: WireCause
        package let incarnation: UInt64
        /// Those with names that may be started again, each name once.
        package internal(set) var effects: [EffectDeaths]
        /// What else is known of it.
        package let report: TerminationReport?

        /// Nobody has looked at an earlier one.
        fileprivate func adding(_ earlier: Interrupted) -> Interrupted {
            let names = Set(effects.map(\.name))
            var both = self
            both.effects += earlier.effects.filter { !names.contains($0.name) }
            return both
        }
    }

    /// What happens seldom.
    package enum Change: Sendable {
        case interrupted(Interrupted)
        case host(HostReport)
        /// What the other side knows of the end of a worker.
        case crashReport(CrashReportMessage)
        /// Why what is shown is older than what the other side has; nil: it is not any more.
        case problem(String?)
        /// The other side answered `open`.
        case opened
        /// The channel takes nothing any more.
        case closed(ChannelEnd)
        /// It takes events again after that.
        case revived

        fileprivate func supersedes(_ earlier: Change) -> Bool {
            switch (self, earlier) {
            case (.interrupted, .interrupted), (.host, .host), (.problem, .problem), (.opened, .opened),
                (.revived, .revived), (.closed, .closed),
                (.closed, .opened), (.closed, .revived),
                (.crashReport, .crashReport):
                true
            default:
                false
            }
        }
    }

    /// Events up to this number are part of the state.
    package var acknowledged: UInt64 = 0
    package var endings: [Ending] = []
    /// In order, and of each kind the last one.
    package private(set) var changes: [Change] = []

    /// Whether nothing ended and nothing changed.
    package var isEmpty: Bool { changes.isEmpty && endings.isEmpty }

    /// The other side answered `open`.
    package var isOpened: Bool { changes.contains { if case .opened = $0 { true } else { false } } }
    /// The death of the worker, if it is known.
    package var interrupted: Interrupted? {
        changes.lazy.compactMap { if case .interrupted(let interrupted) = $0 { interrupted } else { nil } }.first
    }
    /// Why the channel takes nothing any more, if it is so.
    package var end: ChannelEnd? {
        changes.lazy.compactMap { if case .closed(let end) = $0 { end } else { nil } }.first
    }

    package init() {}

    package mutating func add(_ change: Change) {
        var change = change
        if case .interrupted(let later) = change, let interrupted { change = .interrupted(later.adding(interrupted)) }
        changes.removeAll { change.supersedes($0) }
        changes.append(change)
    }

    /// Adds what came later.
    package mutating func merge(_ later: ChannelUpdate) {
        acknowledged = max(acknowledged, later.acknowledged)
        if endings.isEmpty { endings = later.endings } else { endings.append(contentsOf: later.endings) }
        for change in later.changes { add(change) }
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
