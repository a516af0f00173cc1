package import LatticeCore
import LatticeWire

/// The opener's end of a channel: which events are out, what the other side has acknowledged, what has ended.
///
/// A coordinator has one for each feature of a worker, a client one for each feature of a coordinator. It outlives the
/// session: when a worker dies or a connection breaks, the next session opens the channel again from what this knows.
/// It does no I/O. What goes wrong is sorted so: a state that is not newer is ignored and counted; an outcome for an
/// event that has one already is ignored and counted; more held completions than events is the peer's violation.
package struct ChannelOpener<Ticket: Sendable>: Sendable {
    package enum Phase: Sendable, Equatable {
        /// There is no session; events wait.
        case detached
        /// `open` went out and was not answered; events wait.
        case opening
        /// Events go out as they come.
        case open
        /// Nothing is taken any more; the reason is told to whoever sends.
        case closed(EventRejection)
    }

    /// What to do with an event that was just sent.
    package enum Sending {
        /// Put it on the wire now.
        case transmit(UInt64)
        /// It goes out when the channel is open.
        case wait(UInt64)
        case reject(EventRejection)
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

    /// An event to send again, oldest first.
    package struct Resending: Sendable, Equatable {
        package let event: UInt64
        package let action: [UInt8]
        /// Whose event it is, if not the opener's own.
        package let identity: EventID?
        package let isCancelled: Bool

        init(event: UInt64, action: [UInt8], identity: EventID? = nil, isCancelled: Bool) {
            self.event = event
            self.action = action
            self.identity = identity
            self.isCancelled = isCancelled
        }
    }

    package struct Ending: Sendable {
        package let ticket: Ticket
        package var outcome: EventOutcome
        /// The event's number where that matters: in an outcome that the other side has told.
        package var event: UInt64 = 0
    }

    /// Outcomes that came before their state.
    private struct Held {
        let first: UInt64
        let last: UInt64
        let revision: UInt64
        let outcome: EventOutcome
    }

    package struct Reopening: Sendable {
        /// What was acknowledged and has not ended comes first, without its action: whether it has ended meanwhile.
        package let resending: [Resending]
        /// What ended while the answer to `open` was on its way, and what the other side knows nothing of any more.
        package let endings: [Ending]
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

    /// - Parameter identity: Whose event it is, if not the opener's own.
    package mutating func send(_ action: [UInt8], as identity: EventID? = nil, ticket: Ticket) -> Sending {
        if case .closed(let rejection) = phase { return .reject(rejection) }
        guard action.count <= limits.maximumAction else {
            return .reject(
                .tooLarge.with(
                    reason: "the action has \(action.count) bytes, and at most \(limits.maximumAction) are sent;"
                        + " put what is large into a file and send its name"
                )
            )
        }
        guard window.unacknowledged < limits.maximumEvents,
            window.unacknowledgedBytes + action.count <= limits.maximumEventBytes
        else {
            return .reject(
                .overloaded.with(
                    reason: "\(window.unacknowledged) events (\(window.unacknowledgedBytes) bytes) wait to be"
                        + " acknowledged, and no more are kept; wait for some of them to end"
                )
            )
        }
        let isOpen = self.isOpen
        let event = window.append(action: action, as: identity, ticket: ticket, wasSent: isOpen)
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

    /// The outcome of the events from `first` to `last` came. It takes effect when the state that it belongs to is here,
    /// and acknowledges these events only: a rejection may have overtaken those before it.
    ///
    /// - Parameter endings: Gets the events that have ended now. Those that are known to have ended, or were never sent,
    ///   are passed over.
    /// - Throws: When the other side completes more events than it can have got.
    package mutating func receive(
        completion first: UInt64,
        through last: UInt64,
        revision: UInt64,
        outcome: EventOutcome,
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
        _ outcome: EventOutcome,
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
    /// - Parameter answerer: Who sent it. If that is not who had the channel before, or if it has forgotten the channel,
    ///   its numbers start anew, and what was sent is not sent again.
    package mutating func opened(
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
        let resending = (window.running + window.takeUnacknowledged()).map { entry in
            Resending(
                event: entry.number,
                action: entry.action ?? [],
                identity: entry.identity,
                isCancelled: entry.isCancelled
            )
        }
        return Reopening(resending: resending, endings: endings)
    }

    /// Ends what was sent to somebody who does not remember it.
    private mutating func endForgotten(by answerer: Answerer) -> [Ending] {
        guard case .keeper(let memory, let record) = answerer else {
            // Starts from what this side knows.
            return end(window.removeRunning(), .interrupted(.unknown))
        }
        guard case .keeper(let oldMemory, let oldRecord)? = self.answerer else { return [] }
        guard memory == oldMemory else {
            return end(window.removeRunning(), .interrupted(.unknown))
                + end(window.removeUnacknowledged(onlySent: true), .unknown(.memoryLost))
        }
        guard record == nil || record != oldRecord else { return [] }
        return end(window.removeRunning(), .unknown(.outcomeForgotten))
            + end(window.removeUnacknowledged(onlySent: true), .unknown(.eventForgotten))
    }

    private func end(_ tickets: [Ticket], _ outcome: EventOutcome) -> [Ending] {
        tickets.map { Ending(ticket: $0, outcome: outcome) }
    }

    /// Nobody will answer any more. What never left is rejected.
    ///
    /// - Parameters:
    ///   - sent: How what was sent and not acknowledged ends.
    ///   - running: How what was acknowledged ends.
    package mutating func close(
        _ rejection: EventRejection,
        sent: EventOutcome,
        running: EventOutcome
    ) -> [Ending] {
        if case .closed = phase { return [] }
        phase = .closed(rejection)
        return end(window.removeRunning(), running)
            + end(window.removeUnacknowledged(onlySent: true), sent)
            + end(window.removeUnacknowledged(), .rejected(rejection))
    }

    /// Takes events again after `close`, as a reset by hand does.
    package mutating func revive() {
        if case .closed = phase { phase = .detached }
    }
}
