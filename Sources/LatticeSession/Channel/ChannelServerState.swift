import DequeModule
package import LatticeWire

/// The state machine of a channel's serving end: which events arrived, which are applied, how they ended, and how much
/// of that has been sent to the peer.
///
/// ``ChannelServer`` queries this machine and executes its decisions. The machine does no I/O and does not read the
/// feature's state.
///
/// An outcome passes through three stages. It is unreleased (``TurnLedger``) until the host of the channel releases
/// it. Then it is *due*. It is removed once it was sent. Unreleased outcomes are never sent, so a host may delay them,
/// for example until a commit, or withdraw them.
///
/// The whole machine is one encodable value. A coordinator stores it for each client channel while the client is away.
package struct ChannelServerState: Sendable, Equatable, Codable {
    /// The decision about an event that arrived.
    package enum Receipt: Equatable {
        /// The event is new and must be applied.
        case apply
        /// The event must be applied, and its effects must be cancelled at once. Its cancel arrived first, on the
        /// faster lane.
        indirect case applyCancelled(WireCancellation)
        /// The event was received before the connection broke. If it has ended, its outcome may have been lost with the
        /// connection.
        case duplicate
    }

    /// The message about the state that must be sent to the peer.
    package enum Publication: Equatable {
        /// The offered state, in which the events up to `applied` are contained.
        case state(applied: UInt64)
        /// A bare acknowledgement: the events up to `applied` are contained in the state with this revision.
        case acknowledgement(applied: UInt64, revision: UInt64)
    }

    /// The outcome of one event, or of several consecutive events with the same outcome.
    package struct End: Sendable, Equatable {
        /// The number of the first event.
        package let first: UInt64
        /// The number of the last event.
        package internal(set) var last: UInt64
        /// The outcome of the events.
        package internal(set) var outcome: WireOutcome
    }

    /// An event that was forwarded, with the number under which it was forwarded.
    private struct Forwarded: Sendable, Equatable, Codable {
        let event: UInt64
        let number: UInt64
    }

    /// The revision of the newest state that was released.
    package private(set) var revision: UInt64
    /// The highest event that was received.
    package private(set) var received: UInt64
    /// The highest event that is applied. All earlier events are applied, too.
    package private(set) var applied: UInt64
    /// The highest event that is contained in the released state.
    package private(set) var released: UInt64
    /// The revision of the newest state that was sent to the peer.
    package private(set) var published: UInt64
    /// The number of states that were released after the one that was sent last.
    package var lag: UInt64 { revision > published ? revision - published : 0 }
    /// A Boolean value that indicates whether the peer accepts patches.
    package var takesPatches = false
    /// Whether the peer has requested the whole state.
    private var isResyncDue = false
    /// The highest event whose application was announced to the peer, along with all earlier ones: by a state, by an
    /// acknowledgement, or by the outcomes of the events.
    private var announced: UInt64
    /// The number of remembered cancels that keep their reasons.
    private static let maximumRememberedReasons = 64
    /// The cancels that arrived before their events, by the number of the event.
    private var cancelled: [UInt64: WireCancellation] = [:]
    /// Outcomes that were released and are not sent yet.
    package private(set) var due: [End] = []
    /// Events that were forwarded and are not applied yet, oldest first. Nil if events are applied here as soon as they
    /// arrive.
    private var forwarded: Deque<Forwarded>?
    /// The outcomes that were sent. Nil if no outcome ever has to be sent again.
    private var sent: SentOutcomes?

    /// Creates the state of a channel whose events are applied as soon as they arrive.
    ///
    /// - Parameters:
    ///   - revision: The revision of the state that the peer has.
    ///   - applied: The highest event that is contained in that state.
    package init(revision: UInt64, applied: UInt64) {
        self.revision = revision
        self.applied = applied
        received = applied
        released = applied
        published = revision
        announced = applied
    }

    /// Returns the state of a channel whose events are forwarded, and whose client may come back and ask how they
    /// ended.
    package static func forwarding() -> ChannelServerState {
        var state = ChannelServerState(revision: 0, applied: 0)
        state.forwarded = []
        state.sent = SentOutcomes()
        return state
    }

    /// A Boolean value that indicates whether events are forwarded instead of applied here.
    package var isForwarding: Bool { forwarded != nil }
    /// A Boolean value that indicates whether the peer has received every released state and outcome.
    package var isFullyPublished: Bool { due.isEmpty && !isDirty }

    // MARK: Events

    /// Records an event that arrived and returns what to do with it.
    package mutating func receive(event: UInt64) -> Receipt {
        guard event > received else { return .duplicate }
        received = event
        if forwarded == nil { applied = event }
        guard !cancelled.isEmpty, let cancellation = cancelled.removeValue(forKey: event) else { return .apply }
        return .applyCancelled(cancellation)
    }

    /// Records a cancel that arrived, and keeps it until its event arrives if that has not arrived yet.
    ///
    /// - Returns: Whether the event has arrived.
    /// - Throws: A violation if more events are cancelled in advance than a channel can have in flight.
    package mutating func cancel(
        event: UInt64,
        _ cancellation: WireCancellation = WireCancellation()
    ) throws(SessionError) -> Bool {
        guard event > received else { return true }
        guard cancelled.count < ChannelLimits().maximumEvents else {
            throw .violation("\(cancelled.count) events were cancelled that did not arrive.")
        }
        guard cancelled[event] == nil else { return false }
        // More cancels than these are remembered without their reasons, which would take much memory.
        let isFull = cancelled.count >= Self.maximumRememberedReasons
        cancelled[event] = isFull ? WireCancellation(by: cancellation.canceller) : cancellation
        return false
    }

    /// Records that an event was forwarded under a number.
    ///
    /// - Parameters:
    ///   - isRunning: Returns whether an event has not ended. An event that ended before it reached its host is never
    ///     applied there, so it is forgotten.
    ///   - running: The number of running events, which bounds how many forwarded events are kept.
    mutating func forward(_ event: UInt64, as number: UInt64, isRunning: (UInt64) -> Bool, running: Int) {
        forwarded?.append(Forwarded(event: event, number: number))
        guard let count = forwarded?.count, count > 2 * running + 1024 else { return }
        forwarded?.removeAll { !isRunning($0.event) }
    }

    /// Marks the events as applied that were forwarded up to this number.
    private mutating func apply(throughForwarded number: UInt64) {
        while let first = forwarded?.first, first.number <= number {
            applied = max(applied, min(first.event, received))
            forwarded?.removeFirst()
        }
    }

    /// Records the outcome of an event as due, so that it may be sent.
    package mutating func complete(_ event: UInt64, _ outcome: WireOutcome) {
        due.complete(event, outcome, mergingFrom: 0)
    }

    // MARK: Releasing

    /// Releases the applied events: they are contained in the newest state, which may be sent.
    ///
    /// - Parameter revision: The revision of that state. Nil if the state has not changed since the last release.
    package mutating func release(revision: UInt64? = nil) {
        if let revision { self.revision = max(self.revision, revision) }
        released = applied
    }

    /// Releases the applied events and everything in the ledger.
    ///
    /// - Returns: The named effects that the ledger has noted, if any.
    package mutating func release(_ ledger: inout TurnLedger, revision: UInt64? = nil) -> TurnLedger.Effects? {
        release(revision: revision)
        return ledger.release(into: &due, applied: applied)
    }

    /// Releases the state that was marked as the newest state, with everything in the ledger before the mark.
    ///
    /// - Returns: The named effects that the ledger has noted, if any.
    package mutating func releaseMarked(_ ledger: inout TurnLedger, revision: UInt64) -> TurnLedger.Effects? {
        guard let marked = ledger.releaseMarked(into: &due) else { return nil }
        self.revision = max(self.revision, revision)
        released = marked.applied
        return marked.effects
    }

    /// Releases a state on a channel whose events are forwarded. The state contains the events that were forwarded up
    /// to `number`.
    package mutating func release(revision: UInt64?, throughForwarded number: UInt64) {
        apply(throughForwarded: number)
        release(revision: revision)
    }

    // MARK: Publishing

    /// A Boolean value that indicates whether the peer has not received the released state, or has lost it.
    package var isDirty: Bool { revision > published || isResyncDue }

    /// The revision from which a patch can be sent to the peer. Nil if the peer needs the whole state.
    package var base: UInt64? { takesPatches && !isResyncDue ? published : nil }

    /// Records that the peer cannot use the state it received and requests the whole state.
    package mutating func resync() {
        isResyncDue = true
    }

    /// Takes everything that must be sent: the due outcomes, and either the offered state or the acknowledgement of
    /// events that did not change the state.
    ///
    /// An outcome may be sent before its state. The peer then waits for the state.
    ///
    /// - Parameters:
    ///   - offer: The revision of the state that can be sent now, or nil if none can. A log that is shared with other
    ///     channels may offer a state before it was released here.
    ///   - applied: The highest event that is certainly contained in the offered state. Nil if it contains all released
    ///     events.
    package mutating func take(
        _ offer: UInt64?,
        applied: UInt64? = nil
    ) -> (publication: Publication?, ends: [End]) {
        let ends = due
        due = []
        for end in ends {
            if end.first <= announced + 1 { announced = max(announced, end.last) }
            sent?.note(end)
        }
        if isDirty {
            guard let offer else { return (nil, ends) }
            let applied = applied ?? released
            markPublished(offer)
            announced = max(announced, applied)
            return (.state(applied: applied), ends)
        }
        guard released > announced else { return (nil, ends) }
        announced = released
        return (.acknowledgement(applied: released, revision: revision), ends)
    }

    /// Records that `opened` sends a state to the peer. Anything that was sent before may have been lost.
    package mutating func opened(with offer: UInt64, applied: UInt64) {
        markPublished(offer)
        announced = applied
    }

    private mutating func markPublished(_ offer: UInt64) {
        published = offer
        revision = max(revision, offer)
        isResyncDue = false
    }

    /// Makes the outcome of an event due again, because the peer asks about an event that had already arrived. Does
    /// nothing if outcomes are not kept.
    package mutating func repeatOutcome(of event: UInt64) {
        guard let sent, !due.contains(where: { $0.first...$0.last ~= event }) else { return }
        due.append(End(first: event, last: event, outcome: sent.outcome(of: event)))
    }
}

/// The outcomes that were sent on a connection, for a client that lost the connection and asks again.
///
/// Almost all events finish successfully, so only the other outcomes take memory.
package struct SentOutcomes: Sendable, Equatable, Codable {
    /// The number of outcomes that are kept. When it is reached, the oldest one is forgotten.
    package static var limit: Int { 4096 }

    private var unusual: [UInt64: ChannelServerState.End] = [:]
    private var order: Deque<UInt64> = []
    /// The highest event whose outcome may have been forgotten.
    private var forgotten: UInt64 = 0

    /// Creates an empty collection.
    package init() {}

    /// Records the outcome of an event that was sent.
    package mutating func note(_ event: UInt64, _ outcome: WireOutcome) {
        note(ChannelServerState.End(first: event, last: event, outcome: outcome))
    }

    fileprivate mutating func note(_ end: ChannelServerState.End) {
        guard end.outcome != .finished, unusual.updateValue(end, forKey: end.first) == nil else { return }
        order.append(end.first)
        guard order.count > Self.limit else { return }
        let oldest = order.removeFirst()
        forgotten = max(forgotten, oldest)
        unusual[oldest] = nil
    }

    /// Returns the outcome of an event that is known to have ended. The outcome is `tooLongAgo` if it has been
    /// forgotten.
    package func outcome(of event: UInt64) -> WireOutcome {
        unusual[event]?.outcome ?? (event <= forgotten ? .tooLongAgo : .finished)
    }
}

// Encoded as the completion message that carries it.
extension ChannelServerState.End: Codable {
    package init(from decoder: any Decoder) throws {
        let bytes = try decoder.singleValueContainer().decode([UInt8].self)
        let message = try bytes.withUnsafeBytes { try CompletionMessage(decoding: $0) }
        self.init(first: message.event, last: message.through ?? message.event, outcome: message.outcome)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(CompletionMessage(event: first, through: last, revision: 0, outcome: outcome).encoded)
    }
}
