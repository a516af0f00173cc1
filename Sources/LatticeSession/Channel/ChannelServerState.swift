import DequeModule
package import LatticeWire

/// What the end of a channel knows that serves it: which events came, what is applied, how they ended, and what of that
/// the other side has been told. ``ChannelServer`` asks it and acts. It never looks at a state, and does no I/O.
///
/// How an event ended is unreleased (``UnreleasedEnds``) until the host of the channel releases it, then *due*, and
/// gone once it was told. Nothing unreleased is told, so that a host may wait with it, for a commit say, or take it
/// back.
///
/// All of it is one encodable value: what a coordinator remembers of a client's channel while that is away.
package struct ChannelServerState: Sendable, Equatable, Codable {
    /// What to do with an event that came.
    package enum Receipt: Equatable {
        case apply
        /// The same, and what it starts is to be cancelled at once: the cancel came first, on its faster lane.
        case applyCancelled
        /// It was taken in before the connection broke. If it has ended, its outcome may have been lost with that.
        case duplicate
    }

    /// What the other side has to be told of the state.
    package enum Publication: Equatable {
        /// The one that was offered, and what is applied in it.
        case state(applied: UInt64)
        case acknowledgement(applied: UInt64, revision: UInt64)
    }

    /// An event, or several in a row that ended alike.
    package struct End: Sendable, Equatable {
        package let first: UInt64
        package fileprivate(set) var last: UInt64
        package fileprivate(set) var outcome: WireOutcome
    }

    /// An event that was sent on, and its number where it was sent.
    private struct Forwarded: Sendable, Equatable, Codable {
        let event: UInt64
        let number: UInt64
    }

    /// The number of the newest state that was released.
    package private(set) var revision: UInt64
    /// The highest event that was taken in.
    package private(set) var received: UInt64
    /// The highest event that is applied, with all before it.
    package private(set) var applied: UInt64
    /// The highest event that is part of the released state.
    package private(set) var released: UInt64
    /// The newest state that the other side was told.
    package private(set) var published: UInt64
    /// Whether the other side takes patches.
    package var takesPatches = false
    /// Whether the other side has asked for the whole state.
    private var isResyncDue = false
    /// The other side has been told of all events up to this one: by a state, an acknowledgement or their own outcomes.
    private var announced: UInt64
    /// Events that were cancelled before they came.
    private var cancelled: Set<UInt64> = []
    /// Outcomes that were released and not told yet.
    package private(set) var due: [End] = []
    /// What was sent on and is not applied yet, oldest first; nil: events are applied here, when they come.
    private var forwarded: Deque<Forwarded>?
    /// The outcomes that were told, where they may have to be told again.
    private var sent: SentOutcomes?

    /// The end of a channel whose events are applied when they come.
    package init(revision: UInt64, applied: UInt64) {
        self.revision = revision
        self.applied = applied
        received = applied
        released = applied
        published = revision
        announced = applied
    }

    /// The end of a channel whose events are sent on, and whose other side may come back and ask how they ended.
    package static func forwarding() -> ChannelServerState {
        var state = ChannelServerState(revision: 0, applied: 0)
        state.forwarded = []
        state.sent = SentOutcomes()
        return state
    }

    /// Whether events are sent on, and not applied here.
    package var isForwarding: Bool { forwarded != nil }
    package var hasNothingToTell: Bool { due.isEmpty && !isDirty }

    // MARK: Events

    package mutating func receive(event: UInt64) -> Receipt {
        guard event > received else { return .duplicate }
        received = event
        if forwarded == nil { applied = event }
        guard !cancelled.isEmpty, cancelled.remove(event) != nil else { return .apply }
        return .applyCancelled
    }

    /// A cancel came. Answers whether its event is here; if not, it is kept until the event comes.
    ///
    /// - Throws: When more events are cancelled in advance than a channel can have on its way.
    package mutating func cancel(event: UInt64) throws(SessionError) -> Bool {
        guard event > received else { return true }
        guard cancelled.count < ChannelLimits().maximumEvents else {
            throw .violation("\(cancelled.count) events were cancelled that did not come")
        }
        cancelled.insert(event)
        return false
    }

    /// An event was sent on under this number.
    ///
    /// - Parameter isRunning: Whether an event has not ended: one that ended before it reached its host is never
    ///   applied there.
    mutating func forward(_ event: UInt64, as number: UInt64, isRunning: (UInt64) -> Bool, running: Int) {
        forwarded?.append(Forwarded(event: event, number: number))
        guard let count = forwarded?.count, count > 2 * running + 1024 else { return }
        forwarded?.removeAll { !isRunning($0.event) }
    }

    /// What was sent on up to this number is applied.
    private mutating func apply(throughForwarded number: UInt64) {
        while let first = forwarded?.first, first.number <= number {
            applied = max(applied, min(first.event, received))
            forwarded?.removeFirst()
        }
    }

    /// An event ended, and that may be told.
    package mutating func complete(_ event: UInt64, _ outcome: WireOutcome) {
        due.append(End(first: event, last: event, outcome: outcome))
    }

    // MARK: Releasing

    /// What was applied so far is part of the newest state, and that may be told.
    ///
    /// - Parameter revision: The number of that state; nil: it is the one of the last release.
    package mutating func release(revision: UInt64? = nil) {
        if let revision { self.revision = max(self.revision, revision) }
        released = applied
    }

    /// The same, with how events ended.
    package mutating func release(_ unreleased: inout UnreleasedEnds, revision: UInt64? = nil) {
        release(revision: revision)
        unreleased.release(into: &due, applied: applied)
    }

    /// The state of the mark is the newest, and what was applied and ended before the mark may be told.
    package mutating func releaseMarked(_ unreleased: inout UnreleasedEnds, revision: UInt64) {
        guard let marked = unreleased.releaseMarked(into: &due) else { return }
        self.revision = max(self.revision, revision)
        released = marked
    }

    /// The same where events are sent on: the state contains what was sent on up to `number`.
    package mutating func release(revision: UInt64?, throughForwarded number: UInt64) {
        apply(throughForwarded: number)
        release(revision: revision)
    }

    // MARK: Telling

    /// Whether the other side has not got the released state, or has lost it.
    package var isDirty: Bool { revision > published || isResyncDue }

    /// The number of the state to which the other side can be told what has changed; nil: it needs the whole state.
    package var base: UInt64? { takesPatches && !isResyncDue ? published : nil }

    /// The other side cannot use what it was told, and asks for the whole state.
    package mutating func resync() {
        isResyncDue = true
    }

    /// Takes what is to be told: how events ended, and the offered state, or the bare acknowledgement of events that
    /// changed nothing. An outcome may go ahead of its state, which the other side waits for.
    ///
    /// - Parameters:
    ///   - offer: The number of the state that can be told now, if one can. Others may have told of it that it is there
    ///     before it was released here.
    ///   - applied: The highest event that is in it for certain; nil: all that was released.
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
            tell(offer)
            announced = max(announced, applied)
            return (.state(applied: applied), ends)
        }
        guard released > announced else { return (nil, ends) }
        announced = released
        return (.acknowledgement(applied: released, revision: revision), ends)
    }

    /// The other side is told of a state by `opened`; what it was told before may have been lost.
    package mutating func opened(with offer: UInt64, applied: UInt64) {
        tell(offer)
        announced = applied
    }

    private mutating func tell(_ offer: UInt64) {
        published = offer
        revision = max(revision, offer)
        isResyncDue = false
    }

    /// The other side asks once more for an event that was taken in: if it has ended, that is due again.
    package mutating func repeatOutcome(of event: UInt64) {
        guard let sent, !due.contains(where: { $0.first...$0.last ~= event }) else { return }
        due.append(End(first: event, last: event, outcome: sent.outcome(of: event)))
    }
}

/// How events ended since the last release: their host may still take that back. Known to the event loop alone.
package struct UnreleasedEnds: Sendable {
    private var ends: [ChannelServerState.End] = []
    /// The last event that is part of a released state, and cannot be taken back.
    private var released: UInt64
    /// What belongs to a state that is being encoded: what was applied then, and how many of `ends` there were.
    private var marked: (applied: UInt64, count: Int)?

    package init(released: UInt64) {
        self.released = released
    }

    /// How many there are, several in a row that ended alike counted once.
    package var count: Int { ends.count }

    package mutating func complete(_ event: UInt64, _ outcome: WireOutcome) {
        // What may be taken back is not joined to what may not, nor what is released later to what is released earlier.
        if case .finished = outcome, let last = ends.indices.last, last >= marked?.count ?? 0,
            ends[last].last + 1 == event, event != released + 1,
            case .finished = ends[last].outcome
        {
            ends[last].last = event
        } else {
            ends.append(ChannelServerState.End(first: event, last: event, outcome: outcome))
        }
    }

    fileprivate mutating func release(into due: inout [ChannelServerState.End], applied: UInt64) {
        released = applied
        marked = nil
        if due.isEmpty { swap(&due, &ends) } else { due += ends }
        ends.removeAll(keepingCapacity: true)
    }

    /// What is here, and was applied, belongs to a state that is being encoded.
    package mutating func mark(applied: UInt64) {
        marked = (applied, ends.count)
    }

    /// - Returns: What was applied at the mark; nil without one.
    fileprivate mutating func releaseMarked(into due: inout [ChannelServerState.End]) -> UInt64? {
        guard let marked = marked.take() else { return nil }
        released = marked.applied
        due += ends[..<marked.count]
        ends.removeFirst(marked.count)
        return marked.applied
    }

    /// The events that were applied since the last release are taken back, to be applied again or to fail.
    ///
    /// - Returns: Those among them that had ended cancelled. Rejected ones stay rejected.
    package mutating func withdraw() -> [UInt64] {
        marked = nil
        let cancelled = ends.filter { $0.first > released && $0.outcome == .cancelled }.map(\.first)
        ends.removeAll { end in
            if case .rejected = end.outcome { false } else { end.first > released }
        }
        return cancelled
    }

    /// What was to end well has failed.
    package mutating func fail(_ outcome: WireOutcome) {
        for index in ends.indices where ends[index].outcome == .finished { ends[index].outcome = outcome }
    }
}

/// The outcomes that were put on a connection, for a client that lost it and asks again.
///
/// Almost all events finish, so only the other outcomes take room.
package struct SentOutcomes: Sendable, Equatable, Codable {
    /// How many are kept.
    package static var limit: Int { 4096 }

    private var unusual: [UInt64: ChannelServerState.End] = [:]
    private var order: Deque<UInt64> = []
    /// Of events up to here it is not known any more how they ended.
    private var forgotten: UInt64 = 0

    package init() {}

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

    /// How an event ended that is known to have ended.
    package func outcome(of event: UInt64) -> WireOutcome {
        unusual[event]?.outcome ?? (event <= forgotten ? .tooLongAgo : .finished)
    }
}

// As the message that tells it.
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
