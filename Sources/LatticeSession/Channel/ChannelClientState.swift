package import LatticeWire

/// What the end of a channel knows that opened it: which events are out, what the other side has acknowledged, what has
/// ended. ``ChannelClient`` asks it and acts.
///
/// A coordinator has one for each feature of a worker, a client one for each feature of a coordinator. It outlives the
/// session: when a worker dies or a connection breaks, the next session opens the channel again from what this knows,
/// and here it is decided what is sent once more and what ends as unknown.
/// It does no I/O. What goes wrong is sorted so: a state that is not newer is ignored and counted; an outcome for an
/// event that has one already is ignored and counted; more held completions than events is the peer's violation.
package struct ChannelClientState<Ticket: Sendable>: Sendable {
    package enum Phase: Sendable, Equatable {
        /// There is no session; events wait.
        case detached
        /// `open` went out and was not answered; events wait.
        case opening
        /// Events go out as they come.
        case open
        /// Nothing is taken any more; the reason is told to whoever sends.
        case closed(ChannelEnd)
    }

    /// What to do with an event that was just sent.
    package enum Sending {
        /// Put it on the wire now.
        case transmit(UInt64)
        /// It goes out when the channel is open.
        case wait(UInt64)
        /// It is not taken, and this is how it ends.
        case reject(WireOutcome, Ticket)
    }

    /// What to do about a cancelled event.
    package enum Cancelling {
        /// Tell the other side.
        case transmit
        /// It never left: it ends here.
        case end(Ticket)
        /// It is known to have ended, or the other side will be told when the channel opens.
        case nothing
    }

    package struct Ending: Sendable {
        package let ticket: Ticket
        package var outcome: WireOutcome
        /// The event's number where that matters: in an outcome that the other side has told.
        package var event: UInt64 = 0
    }

    /// Outcomes that came before their state.
    private struct Held {
        let first: UInt64
        let last: UInt64
        let revision: UInt64
        let outcome: WireOutcome
    }

    struct Reopening {
        /// What to send again, oldest first. What was acknowledged and has not ended comes first, without its action:
        /// whether it has ended meanwhile.
        let resending: [EventWindow<Ticket>.Entry]
        /// What ended while the answer to `open` was on its way, and what the other side knows nothing of any more.
        let endings: [Ending]
    }

    /// Who answered `open`.
    package enum Answerer: Sendable, Equatable {
        /// It starts from what the opener knows, as a worker does: what is not acknowledged is sent again.
        case starter
        /// It has a memory of its own, and in that a record of this channel; nil if it keeps none.
        case keeper(memory: [UInt8], record: UInt64?)
    }

    package private(set) var phase: Phase = .detached
    /// The number of the newest state received; 0 before the first.
    package private(set) var revision: UInt64 = 0
    /// The bytes of that state.
    package private(set) var state: [UInt8]?
    /// Messages that came too late to matter.
    package private(set) var dropped = 0

    private let limits: ChannelLimits
    private var window = EventWindow<Ticket>()
    private var heldCompletions: [Held] = []
    private var heldAcknowledgement: (applied: UInt64, revision: UInt64)?
    /// Who answered the last `open`; nil before the first.
    private var answerer: Answerer?

    package init(limits: ChannelLimits = ChannelLimits()) {
        self.limits = limits
    }

    /// The number that the next event gets.
    package var nextEvent: UInt64 { window.nextNumber }
    /// The highest event that need not be sent again, nor any before it.
    package var acknowledged: UInt64 { window.acknowledged }

    /// Events on their way.
    package var unacknowledged: Int { window.unacknowledged }
    /// Bytes of their actions.
    package var unacknowledgedBytes: Int { window.unacknowledgedBytes }
    /// Bytes of the largest state that is taken, for who serves the channel; nil for the largest that can be sent.
    package var maximumState: UInt32? {
        limits.maximumState < FrameLimits.maximumPayload ? UInt32(clamping: limits.maximumState) : nil
    }

    // MARK: Sending

    /// - Parameter name: Whose event it is, if not the opener's own.
    package mutating func send(_ action: [UInt8], as name: EventName? = nil, ticket: Ticket) -> Sending {
        if case .closed(let end) = phase { return .reject(end.outcome, ticket) }
        guard action.count <= limits.maximumAction else {
            return .reject(
                .rejected(
                    code: .tooLarge,
                    reason: "the action has \(action.count) bytes, and at most \(limits.maximumAction) are sent;"
                        + " put what is large into a file and send its name"
                ),
                ticket
            )
        }
        guard window.unacknowledged < limits.maximumEvents,
            window.unacknowledgedBytes + action.count <= limits.maximumEventBytes
        else {
            return .reject(
                .rejected(
                    code: .overloaded,
                    reason: "\(window.unacknowledged) events (\(window.unacknowledgedBytes) bytes) wait to be"
                        + " acknowledged, and no more are kept; wait for some of them to end"
                ),
                ticket
            )
        }
        let isOpen = self.isOpen
        let event = window.append(action: action, as: name, ticket: ticket, wasSent: isOpen)
        return isOpen ? .transmit(event) : .wait(event)
    }

    package mutating func cancel(_ event: UInt64) -> Cancelling {
        guard let entry = window.cancel(event) else { return .nothing }
        if !entry.wasSent, let ticket = window.complete(event) { return .end(ticket) }
        return isOpen ? .transmit : .nothing
    }

    // MARK: Receiving

    /// A state came.
    ///
    /// - Parameters:
    ///   - bytes: What to give to whoever serves the channel next; nil where nobody will start from it.
    ///   - endings: Gets what ended with it.
    /// - Returns: Whether it is newer than the last one; if not, nothing has happened.
    package mutating func receive(
        state bytes: [UInt8]?,
        revision: UInt64,
        applied: UInt64,
        endings: inout [Ending]
    ) -> Bool {
        guard isOpen, revision > self.revision else {
            dropped += 1
            return false
        }
        self.revision = revision
        state = bytes
        window.acknowledge(through: applied)
        settle(&endings)
        return true
    }

    /// The newest state cannot be decoded: one before it is what the next server starts from.
    ///
    /// - Parameter known: The highest event in that state. Those that were acknowledged after it run in vain.
    /// - Returns: Whom to tell that they have failed.
    package mutating func refuseState(keeping bytes: [UInt8]?, after known: UInt64) -> [Ticket] {
        state = bytes
        return window.removeRunning(after: known)
    }

    package mutating func receive(acknowledgement applied: UInt64, revision: UInt64) {
        guard isLinked else {
            dropped += 1
            return
        }
        guard isOpening || revision > self.revision else { return window.acknowledge(through: applied) }
        if applied >= heldAcknowledgement?.applied ?? 0 { heldAcknowledgement = (applied, revision) }
    }

    /// The outcome of the events from `first` to `last` came. It takes effect when the state that it belongs to is
    /// here, and acknowledges these events only: a rejection may have overtaken those before it.
    ///
    /// - Parameter endings: Gets the events that have ended now. Those that are known to have ended, or were never
    ///   sent, are passed over.
    /// - Throws: When the other side completes more events than it can have got.
    package mutating func receive(
        completion first: UInt64,
        through last: UInt64,
        revision: UInt64,
        outcome: WireOutcome,
        endings: inout [Ending]
    ) throws(SessionError) {
        guard isLinked else {
            dropped += 1
            return
        }
        // While the channel is being opened too: control messages overtake a large `opened`.
        if isOpening || revision > self.revision {
            guard heldCompletions.count < limits.maximumHeldCompletions else {
                throw .violation("\(heldCompletions.count) completions wait for a state that did not come")
            }
            heldCompletions.append(Held(first: first, last: last, revision: revision, outcome: outcome))
            return
        }
        complete(first, last, outcome, &endings)
    }

    private var isOpen: Bool { if case .open = phase { true } else { false } }
    private var isOpening: Bool { if case .opening = phase { true } else { false } }
    private var isLinked: Bool { isOpen || isOpening }

    private mutating func complete(
        _ first: UInt64,
        _ last: UInt64,
        _ outcome: WireOutcome,
        _ endings: inout [Ending]
    ) {
        // Whatever the other side claims, no more than what was sent is gone through.
        let end = min(last, window.nextNumber - 1)
        guard first <= end else {
            dropped += 1
            return
        }
        for event in first...end {
            if let ticket = window.complete(event) {
                endings.append(Ending(ticket: ticket, outcome: outcome, event: event))
            } else {
                dropped += 1
            }
        }
    }

    private mutating func settle(_ endings: inout [Ending]) {
        if let held = heldAcknowledgement, held.revision <= revision {
            window.acknowledge(through: held.applied)
            heldAcknowledgement = nil
        }
        guard !heldCompletions.isEmpty else { return }
        let due = heldCompletions.filter { $0.revision <= revision }
        heldCompletions.removeAll { $0.revision <= revision }
        for held in due { complete(held.first, held.last, held.outcome, &endings) }
    }

    // MARK: Losing and finding the other side

    /// The worker behind the channel died: what it had applied and not ended is interrupted, the rest waits.
    package mutating func detachInterrupting() -> [Ticket] {
        detach()
        return window.removeRunning()
    }

    /// The connection broke; the other side may still be running what it was sent.
    package mutating func detach() {
        if case .closed = phase { return }
        phase = .detached
        heldCompletions.removeAll()
        heldAcknowledgement = nil
    }

    /// A session is there: `open` is about to go out.
    package mutating func startOpening() {
        if case .closed = phase { return }
        phase = .opening
    }

    /// The record of this channel that a server with this memory may have.
    package func record(in memory: [UInt8]) -> UInt64? {
        guard case .keeper(memory, let record)? = answerer else { return nil }
        return record
    }

    /// `opened` came.
    ///
    /// - Parameter answerer: Who sent it. If that is not who had the channel before, or if it has forgotten the
    ///   channel, its numbers start anew, and what was sent is not sent again.
    mutating func opened(
        state bytes: [UInt8]?,
        revision: UInt64,
        applied: UInt64,
        by answerer: Answerer
    ) -> Reopening {
        guard isOpening else { return Reopening(resending: [], endings: []) }
        phase = .open
        self.revision = revision
        if let bytes { state = bytes }
        var endings = endForgotten(by: answerer)
        self.answerer = answerer
        window.acknowledge(through: applied)
        settle(&endings)
        return Reopening(resending: window.running + window.takeUnacknowledged(), endings: endings)
    }

    /// Ends what was sent to somebody who does not remember it.
    private mutating func endForgotten(by answerer: Answerer) -> [Ending] {
        guard case .keeper(let memory, let record) = answerer else {
            // Starts from what this side knows.
            return end(window.removeRunning(), .disconnected)
        }
        guard case .keeper(let oldMemory, let oldRecord)? = self.answerer else { return [] }
        guard memory == oldMemory else {
            return end(window.removeRunning(), .disconnected)
                + end(window.removeUnacknowledged(onlySent: true), .memoryLost)
        }
        guard record == nil || record != oldRecord else { return [] }
        return end(window.removeRunning(), .outcomeForgotten)
            + end(window.removeUnacknowledged(onlySent: true), .eventForgotten)
    }

    private func end(_ tickets: [Ticket], _ outcome: WireOutcome) -> [Ending] {
        tickets.map { Ending(ticket: $0, outcome: outcome) }
    }

    /// Nobody will answer any more. What never left is rejected.
    ///
    /// - Parameters:
    ///   - sent: How what was sent and not acknowledged ends.
    ///   - running: How what was acknowledged ends.
    package mutating func close(_ reason: ChannelEnd, sent: WireOutcome, running: WireOutcome) -> [Ending] {
        if case .closed = phase { return [] }
        phase = .closed(reason)
        return end(window.removeRunning(), running)
            + end(window.removeUnacknowledged(onlySent: true), sent)
            + end(window.removeUnacknowledged(), reason.outcome)
    }

    /// Takes events again after `close`, as a reset by hand does.
    package mutating func revive() {
        if case .closed = phase { phase = .detached }
    }
}

extension WireOutcome {
    /// It was applied, and what might have told more is gone with the connection.
    package static var disconnected: WireOutcome { .interrupted(cause: .disconnected, incarnation: 0) }

    fileprivate static var memoryLost: WireOutcome {
        .unknown(
            reason: "the coordinator lost its memory before it acknowledged the event; look at the state before it is"
                + " sent again"
        )
    }

    fileprivate static var eventForgotten: WireOutcome {
        .unknown(
            reason: "the client was away for longer than the coordinator remembers it, and the event was not"
                + " acknowledged before; look at the state before it is sent again"
        )
    }

    fileprivate static var outcomeForgotten: WireOutcome {
        .unknown(
            reason: "the event was applied, and the client was away for longer than the coordinator remembers how it"
                + " ended; what it started may still run"
        )
    }

    /// The other side does not answer any more.
    static func unanswered(_ reason: String) -> WireOutcome {
        .unknown(reason: "\(reason); the event was sent, and may be applied or still be running")
    }

    /// More events have ended than their outcomes are kept.
    static var tooLongAgo: WireOutcome {
        .unknown(reason: "the event has ended so long ago that the coordinator does not remember how")
    }
}
