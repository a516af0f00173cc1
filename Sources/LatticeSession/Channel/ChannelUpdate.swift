package import LatticeWire

/// An object that is notified when an event ends.
package protocol EventPromise: AnyObject, Sendable {
    /// Receives the outcome of the event.
    ///
    /// Called exactly once, on any thread.
    ///
    /// - Parameters:
    ///   - outcome: How the event ended.
    ///   - report: Details of the worker termination that caused the outcome. Nil if no termination caused it, or if no
    ///     details are known.
    func ended(_ outcome: WireOutcome, report: TerminationReport?)

    /// The facts about the sender of an event that was forwarded for a client. Nil if nothing vouches for the sender.
    /// Called under the lock of the channel.
    var sender: SenderFacts? { get }
}

extension EventPromise {
    /// Nil, for an event that this process sends itself.
    package var sender: SenderFacts? { nil }

    /// Receives the outcome of an event that ended without a worker termination.
    package func ended(_ outcome: WireOutcome) {
        ended(outcome, report: nil)
    }
}

/// Everything except states that one tick of the event loop brought for a channel.
package struct ChannelUpdate: Sendable {
    /// The outcome of an event together with the promise to complete.
    package typealias Ending = ChannelClientState<any EventPromise>.Ending

    /// The status of the process that runs the feature.
    package struct HostReport: Sendable, Equatable {
        /// The status as it came in the message.
        package let status: HostStatusMessage
        /// The ID of the coordinator that reported the status. Nil if the status does not come from a coordinator that
        /// serves.
        package let coordinator: UInt64?

        /// Creates a report from its parts.
        package init(status: HostStatusMessage, coordinator: UInt64?) {
            self.status = status
            self.coordinator = coordinator
        }
    }

    /// The interruption that occurs when the worker that serves the channel dies while events or effects run in it.
    package struct Interrupted: Sendable {
        /// The cause of the worker's termination.
        package let cause: WireCause
        /// The incarnation of the worker that died.
        package let incarnation: UInt64
        /// The named effects that may be started again. Each name occurs once.
        package internal(set) var effects: [EffectDeaths]
        /// Further details of the termination, or nil if there are none.
        package let report: TerminationReport?

        /// Returns this interruption with the effects of an earlier one that was not delivered yet.
        fileprivate func adding(_ earlier: Interrupted) -> Interrupted {
            let names = Set(effects.map(\.name))
            var both = self
            both.effects += earlier.effects.filter { !names.contains($0.name) }
            return both
        }
    }

    /// An infrequent change of the channel.
    package enum Change: Sendable {
        /// The worker died while events or effects ran in it.
        case interrupted(Interrupted)
        /// The status of the process that runs the feature changed.
        case host(HostReport)
        /// The peer sent details of a worker termination.
        case crashReport(CrashReportMessage)
        /// The reason why the displayed state is older than the peer's state, or nil once the displayed state is
        /// current again.
        case problem(String?)
        /// The peer answered `open`.
        case opened
        /// The channel no longer accepts events.
        case closed(ChannelEnd)
        /// The channel accepts events again after it was closed.
        case revived

        fileprivate func supersedes(_ earlier: Change) -> Bool {
            switch (self, earlier) {
            case (.interrupted, .interrupted), (.host, .host), (.problem, .problem), (.opened, .opened),
                (.revived, .revived), (.closed, .closed),
                (.closed, .opened), (.closed, .revived):
                true
            // Each incarnation's report explains the outcomes of other events.
            case (.crashReport(let later), .crashReport(let earlier)): later.incarnation == earlier.incarnation
            default:
                false
            }
        }
    }

    /// The highest event that is contained in the state. All earlier events are contained, too.
    package var acknowledged: UInt64 = 0
    /// The events that ended in this tick.
    package var endings: [Ending] = []
    /// The maximum number of crash reports in an update, which grows while its receiver is busy. If more arrive, the
    /// oldest ones are dropped.
    package static let maximumCrashReports = 8

    /// The changes in the order in which they occurred. Only the last change of each kind is kept, and of crash reports
    /// the last one of each incarnation.
    package private(set) var changes: [Change] = []

    /// A Boolean value that indicates whether no event ended and nothing changed.
    package var isEmpty: Bool { changes.isEmpty && endings.isEmpty }

    /// A Boolean value that indicates whether the peer answered `open`.
    package var isOpened: Bool { changes.contains { if case .opened = $0 { true } else { false } } }
    /// The interruption by the worker's death, or nil if the worker did not die.
    package var interrupted: Interrupted? {
        changes.lazy.compactMap { if case .interrupted(let interrupted) = $0 { interrupted } else { nil } }.first
    }
    /// The reason why the channel no longer accepts events, or nil if it was not closed.
    package var end: ChannelEnd? {
        changes.lazy.compactMap { if case .closed(let end) = $0 { end } else { nil } }.first
    }

    /// Creates an empty update.
    package init() {}

    /// Adds a change and removes the earlier changes that it supersedes.
    package mutating func add(_ change: Change) {
        var change = change
        if case .interrupted(let later) = change, let interrupted { change = .interrupted(later.adding(interrupted)) }
        changes.removeAll { change.supersedes($0) }
        changes.append(change)
        let reports = changes.indices.filter { if case .crashReport = changes[$0] { true } else { false } }
        if reports.count > Self.maximumCrashReports { changes.remove(at: reports[0]) }
    }

    /// Adds an update that came later.
    package mutating func merge(_ later: ChannelUpdate) {
        acknowledged = max(acknowledged, later.acknowledged)
        if endings.isEmpty { endings = later.endings } else { endings.append(contentsOf: later.endings) }
        for change in later.changes { add(change) }
    }
}

/// The reason why a channel accepts no events. It also determines how an event ends that is sent on the channel.
package struct ChannelEnd: Error, Sendable, Equatable {
    /// The rejection code of an event that is sent on the channel.
    package let code: RejectionCode
    /// A sentence that explains the reason and says what to do.
    package let reason: String
    /// The code with which the peer refused to open the channel. Nil if the peer opened the channel or could not be
    /// asked.
    package let refusal: OpenRefusalCode?

    /// Creates a reason from its parts.
    package init(code: RejectionCode = .closed, reason: String, refusal: OpenRefusalCode? = nil) {
        self.code = code
        self.reason = reason
        self.refusal = refusal
    }

    /// Creates the reason for a channel that the peer refused to open.
    init(_ refused: OpenRefused) {
        let code: RejectionCode =
            switch refused.code {
            case .schema: .schema
            case .tooMany: .overloaded
            default: .closed
            }
        self.init(code: code, reason: refused.reason, refusal: refused.code)
    }

    /// The outcome of an event that is sent while the channel is closed.
    package var outcome: WireOutcome { .rejected(code: code, reason: reason) }

    /// The reason after this side has left the channel. `EventRejection.closed` of LatticeCore has the same sentence.
    /// This module cannot import LatticeCore.
    static var left: ChannelEnd {
        ChannelEnd(
            reason: "The feature is not open here. Look at hostStatus, and open the feature again if it was closed."
        )
    }
}
