package import LatticeWire

/// What the turns of a worker's feature have done since the last released state: the events that were applied, the
/// outcomes of events, and the named effects that began and ended.
///
/// All of it is released together with the next state, or up to a mark if that state is encoded on another thread. If
/// the state cannot be sent, the events are withdrawn, and the feature applies them again.
package struct TurnLedger: Sendable {
    /// An event that was applied. It holds no references except an empty list, so that adding and removing most events
    /// costs nothing.
    package struct Event: Sendable {
        /// The number of the event on the channel.
        package let number: UInt64
        /// The name of the event.
        package let name: EventName
        /// The deadline and the trace context of the event.
        package let metadata: EventMetadata
        /// The position of its action among the bytes of all actions since `forgotten` was 0.
        fileprivate let action: Range<Int>
    }

    /// The named effects that have begun and ended.
    package struct Effects: Sendable {
        /// The effects that have begun.
        package let begun: [EffectsMessage.Effect]
        /// The numbers of the effects that have ended.
        package let ended: [UInt64]

        /// Creates a list from its parts.
        package init(begun: [EffectsMessage.Effect], ended: [UInt64]) {
            self.begun = begun
            self.ended = ended
        }
    }

    /// Everything before it belongs to a state that is being encoded.
    private struct Mark {
        /// The highest event that was applied.
        let applied: UInt64
        let events: Int
        let ends: Int
    }

    /// The maximum size of the actions in bytes. If there are more, the state is encoded although it cannot be sent
    /// yet, so that the ledger does not grow without bound.
    private static let maximumBytes = 1 << 20
    /// The maximum number of events, with the same effect.
    private static let maximumEvents = 4096
    /// The maximum size in bytes of a buffer that is kept for the next events.
    private static let keptBytes = 64 * 1024

    private var events: [Event] = []
    private var bytes: [UInt8] = []
    /// The number of bytes of the actions that were removed from the front.
    private var forgotten = 0
    private var ends: [ChannelServerState.End] = []
    private var effects: Effects?
    /// A Boolean value that indicates whether the feature has rejected an event since the last release. It may have
    /// changed the state before, although it should not.
    private var hasRejected = false
    private var mark: Mark?
    /// The last event that is contained in a released state and cannot be withdrawn.
    private var released: UInt64

    /// Creates an empty ledger.
    ///
    /// - Parameter released: The last event that is contained in a released state.
    package init(released: UInt64) {
        self.released = released
    }

    // MARK: Turns

    /// The number of outcomes. Consecutive events that finished count once.
    package var outcomes: Int { ends.count }

    /// A Boolean value that indicates whether the state must be encoded, so that the events can be removed.
    package var isFull: Bool { bytes.count > Self.maximumBytes || events.count > Self.maximumEvents }

    /// Adds an event that was applied, with its action.
    package mutating func add(_ event: borrowing IncomingEvent) {
        let start = forgotten + bytes.count
        bytes.append(contentsOf: event.action)
        let action = start..<(forgotten + bytes.count)
        events.append(Event(number: event.number, name: event.name, metadata: event.metadata, action: action))
    }

    /// Notes that the feature has rejected an event, which is not applied again.
    package mutating func noteRejection() {
        hasRejected = true
    }

    /// Adds the outcome of an event.
    package mutating func complete(_ event: UInt64, _ outcome: WireOutcome) {
        // An event that may be withdrawn is not merged with one that may not. The same holds for outcomes on both sides
        // of a mark, which are released separately.
        let isFirst = event == released + 1 || event == mark.map { $0.applied + 1 }
        ends.complete(event, outcome, mergingFrom: isFirst ? ends.count : mark?.ends ?? 0)
    }

    /// Replaces the outcome of every event that finished successfully.
    package mutating func fail(_ outcome: WireOutcome) {
        for index in ends.indices where ends[index].outcome == .finished { ends[index].outcome = outcome }
    }

    /// Adds the named effects that have begun and ended, as of the state that is released next.
    package mutating func note(_ effects: Effects) {
        self.effects = effects
    }

    // MARK: Releasing

    /// Marks everything as belonging to a state that is being encoded.
    package mutating func setMark(applied: UInt64) {
        mark = Mark(applied: applied, events: events.count, ends: ends.count)
    }

    /// Releases everything.
    ///
    /// - Parameters:
    ///   - due: Receives the outcomes.
    ///   - applied: The last event that is contained in the released state.
    /// - Returns: The named effects, if any were noted.
    mutating func release(into due: inout [ChannelServerState.End], applied: UInt64) -> Effects? {
        released = applied
        if due.isEmpty { swap(&due, &ends) } else { due += ends }
        ends.removeAll(keepingCapacity: true)
        removeEvents()
        return effects.take()
    }

    /// Releases everything before the mark.
    ///
    /// - Parameter due: Receives the outcomes.
    /// - Returns: The highest event that was applied at the mark, and the named effects. Nil if there is no mark.
    mutating func releaseMarked(into due: inout [ChannelServerState.End]) -> (applied: UInt64, effects: Effects?)? {
        guard let mark else { return nil }
        released = mark.applied
        due += ends[..<mark.ends]
        ends.removeFirst(mark.ends)
        removeEvents(before: mark.events)
        self.mark = nil
        return (mark.applied, effects.take())
    }

    private mutating func removeEvents(before index: Int) {
        guard index < events.count else { return removeEvents() }
        let kept = events[index].action.lowerBound
        events.removeFirst(index)
        bytes.removeFirst(kept - forgotten)
        forgotten = kept
    }

    private mutating func removeEvents() {
        mark = nil
        hasRejected = false
        forgotten = 0
        guard !events.isEmpty else { return }
        events.removeAll(keepingCapacity: events.count <= Self.maximumEvents)
        if bytes.count <= Self.keptBytes { bytes.removeAll(keepingCapacity: true) } else { bytes = [] }
    }

    // MARK: Withdrawing

    /// Withdraws the events that were applied since the last release, with their outcomes. The outcomes of other events
    /// stay.
    package mutating func withdraw() -> WithdrawnTurns {
        var withdrawn = WithdrawnTurns(
            events: events,
            bytes: bytes,
            forgotten: forgotten,
            haveRejectionsActed: hasRejected
        )
        let applied = Set(events.map(\.number))
        ends.removeAll { end in
            // An event that was not applied stays rejected.
            guard applied.contains(end.first) else { return false }
            if case .cancelled(let cancellation) = end.outcome { withdrawn.cancelled[end.first] = cancellation }
            return true
        }
        removeEvents()
        return withdrawn
    }
}

/// The events that a ``TurnLedger`` withdrew, because no state that contains them can be sent.
package struct WithdrawnTurns: Sendable {
    /// The events, in their order.
    package let events: [TurnLedger.Event]
    private let bytes: [UInt8]
    private let forgotten: Int
    /// A Boolean value that indicates whether events that the feature rejected may have changed the state.
    package let haveRejectionsActed: Bool
    /// The cancellations of events that were cancelled, by their numbers.
    package var cancelled: [UInt64: WireCancellation] = [:]

    fileprivate init(events: [TurnLedger.Event], bytes: [UInt8], forgotten: Int, haveRejectionsActed: Bool) {
        self.events = events
        self.bytes = bytes
        self.forgotten = forgotten
        self.haveRejectionsActed = haveRejectionsActed
    }

    /// Calls `body` with the encoded action of an event.
    package func withAction<Result>(
        of event: TurnLedger.Event,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        let (start, end) = (event.action.lowerBound - forgotten, event.action.upperBound - forgotten)
        return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
    }
}

extension [ChannelServerState.End] {
    /// Adds the outcome of an event. An event that finished is merged with those directly before it that finished, so
    /// that one message tells the end of all of them.
    ///
    /// - Parameter index: The index of the first element that the event may be merged with.
    mutating func complete(_ event: UInt64, _ outcome: WireOutcome, mergingFrom index: Int) {
        if case .finished = outcome, let last = indices.last, last >= index, self[last].last + 1 == event,
            case .finished = self[last].outcome
        {
            self[last].last = event
        } else {
            append(ChannelServerState.End(first: event, last: event, outcome: outcome))
        }
    }
}
