import DequeModule
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
        /// What is known of the end of the worker that is why, where that is not told of all that ran there.
        package var report: TerminationReport?
    }

    /// Outcomes that came before their state.
    struct Held {
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
        /// Whether the whole state has to be asked for: there is none here that is of use.
        var needsState = false
    }

    /// Who answered `open`.
    package enum Answerer: Sendable, Equatable {
        /// It starts from what the opener knows, as a worker does: what is not acknowledged is sent again.
        case starter
        /// It has a memory of its own, and in that a record of this channel; nil if it keeps none.
        case keeper(memory: [UInt8], record: UInt64?)
    }

    /// What became of a patch that came.
    package enum PatchReceipt: Equatable {
        /// It is what leads to the newest state.
        case taken
        /// It is of no use.
        case dropped
        /// The same, and the whole state has to be asked for: that of this number is the newest that is here.
        case resync(UInt64)
    }

    /// What is known of the newest state that was received.
    enum Baseline {
        /// Changes can be made to it.
        case usable
        /// It could not be decoded. The next patch is no use, and a reason to ask for the whole state.
        case refused
        /// The whole state was asked for.
        case awaited
    }

    package internal(set) var phase: Phase = .detached
    /// The number of the newest state received; 0 before the first.
    package internal(set) var revision: UInt64 = 0
    /// That state, where whoever serves the channel next starts from it.
    package internal(set) var kept: KeptState?
    var baseline = Baseline.usable
    /// Messages that came too late to matter.
    package private(set) var dropped = 0

    private let limits: ChannelLimits
    var window = EventWindow<Ticket>()
    var effects = NamedEffectLedger()
    /// In the order in which they came, which is that of their revisions.
    var heldCompletions: Deque<Held> = []
    var heldAcknowledgement: (applied: UInt64, revision: UInt64)?
    /// Events after this one wait, while those before are tried one at a time; nil: none does.
    var heldAfter: UInt64?
    /// Who answered the last `open`; nil before the first.
    var answerer: Answerer?

    package init(limits: ChannelLimits = ChannelLimits()) {
        self.limits = limits
    }

    /// Whether there are events that have not ended.
    package var hasEvents: Bool { !window.isEmpty }

    /// The number of the next event.
    package var nextEvent: UInt64 { window.nextNumber }
    /// The highest event that need not be sent again, nor any before it.
    package var acknowledged: UInt64 { window.acknowledged }

    /// Events on their way.
    package var unacknowledged: Int { window.unacknowledged }
    /// Bytes of their actions.
    package var unacknowledgedBytes: Int { window.unacknowledgedBytes }
    /// Bytes of the largest state that is taken, for who serves the channel; nil for what that is without saying.
    package var maximumState: UInt32? {
        limits.maximumState == FrameLimits.maximumState ? nil : UInt32(clamping: limits.maximumState)
    }

    // MARK: Sending

    /// - Parameter name: Whose event it is, if not the opener's own.
    package mutating func send(
        _ action: [UInt8],
        as name: EventName? = nil,
        terms: EventMetadata = .none,
        ticket: consuming Ticket
    ) -> Sending {
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
        let isFree = isOpen && heldAfter == nil
        let event = window.append(action: action, as: name, terms: terms, ticket: ticket, wasSent: isFree)
        return isFree ? .transmit(event) : .wait(event)
    }

    package mutating func cancel(_ event: UInt64) -> Cancelling {
        guard let entry = window.cancel(event) else { return .nothing }
        if !entry.wasSent, let ticket = window.complete(event) { return .end(ticket) }
        return isOpen && event <= heldAfter ?? event ? .transmit : .nothing
    }

    /// The deadline of an event has passed.
    ///
    /// - Returns: Whom to tell that it ends here, as nobody has applied it who still counts: it never left, or was with
    ///   a worker whose successor starts without it. nil: the other side looks after it, or it was applied.
    package mutating func expire(_ event: UInt64) -> Ticket? {
        guard let entry = window.expire(event), entry.action != nil else { return nil }
        let isOut = entry.wasSent && (answerer != .starter || isOpen && event <= heldAfter ?? event)
        return isOut ? nil : window.complete(event)
    }

    // MARK: Receiving

    /// A state came.
    ///
    /// - Parameters:
    ///   - bytes: What to give to whoever serves the channel next; nil where nobody will start from it.
    ///   - endings: Gets what ended with it.
    /// - Returns: Whether it is newer than the last one, or was asked for; if not, nothing has happened.
    package mutating func receive(
        state bytes: [UInt8]?,
        revision: UInt64,
        applied: UInt64,
        endings: inout [Ending]
    ) -> Bool {
        guard isOpen, revision > self.revision || (baseline == .awaited && revision == self.revision) else {
            dropped += 1
            return false
        }
        baseline = .usable
        kept = bytes.map(KeptState.init)
        acknowledge(applied, with: revision, &endings)
        return true
    }

    /// A patch came.
    ///
    /// - Parameter change: What has changed, if a state is kept; else nil.
    package mutating func receive(
        patch change: [UInt8]?,
        base: UInt64,
        revision: UInt64,
        applied: UInt64,
        endings: inout [Ending]
    ) -> PatchReceipt {
        guard isOpen, baseline == .usable, base == self.revision else {
            dropped += 1
            guard isOpen, baseline != .awaited else { return .dropped }
            baseline = .awaited
            return .resync(self.revision)
        }
        if let change { kept?.change(by: change, limits) }
        acknowledge(applied, with: revision, &endings)
        return .taken
    }

    private mutating func acknowledge(_ applied: UInt64, with revision: UInt64, _ endings: inout [Ending]) {
        self.revision = revision
        window.acknowledge(through: applied)
        settle(&endings)
    }

    /// The newest state was decoded, and need not be kept as it came.
    package mutating func accept(_ state: KeptState) {
        kept = state
    }

    /// The newest state cannot be decoded: one before it is what the next server starts from.
    ///
    /// - Parameter known: The highest event in that state. Those that were acknowledged after it run in vain.
    /// - Returns: Whom to tell that they have failed.
    package mutating func refuseState(keeping state: KeptState?, after known: UInt64) -> [Ticket] {
        kept = state
        baseline = .refused
        return window.removeRunning(after: known)
    }

    /// The changes that came cannot be made to the state with this number, which is the newest that is of use.
    ///
    /// - Returns: Whether the whole state can be asked for now, and was not yet.
    package mutating func resync(from revision: UInt64) -> Bool {
        defer { baseline = .awaited }
        self.revision = revision
        return isOpen && baseline != .awaited
    }

    package mutating func receive(acknowledgement applied: UInt64, revision: UInt64) {
        guard isLinked else {
            dropped += 1
            return
        }
        guard isOpening || revision > self.revision else {
            window.acknowledge(through: applied)
            return settleEffects()
        }
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
        // Revisions of completions never go down. One that does waits with the one before it, as if it had not.
        let awaited = max(revision, heldCompletions.last?.revision ?? 0)
        if isOpening || awaited > self.revision {
            guard heldCompletions.count < limits.maximumHeldCompletions else {
                throw .violation("\(heldCompletions.count) completions wait for a state that did not come")
            }
            heldCompletions.append(Held(first: first, last: last, revision: awaited, outcome: outcome))
            return
        }
        complete(first, last, outcome, &endings)
        settleEffects()
    }

    /// Effects with names have begun or ended, as of a state or an acknowledgement that is to follow.
    ///
    /// - Throws: When the other side says that more of them run than may.
    package mutating func receive(_ message: EffectsMessage) throws(SessionError) {
        guard isLinked else {
            dropped += 1
            return
        }
        try effects.hold(message)
        if isOpen { settleEffects() }
    }

    private mutating func settleEffects() {
        if effects.isHolding { effects.settle(revision: revision, applied: window.acknowledged) }
    }

    var isOpen: Bool { if case .open = phase { true } else { false } }
    var isOpening: Bool { if case .opening = phase { true } else { false } }
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
        let start = max(first, window.firstNumber)
        if first < start {
            let passed = window.completePassed(first...min(end, start - 1))
            for (event, ticket) in passed { endings.append(Ending(ticket: ticket, outcome: outcome, event: event)) }
            dropped += Int(clamping: min(end, start - 1) - first) + 1 - passed.count
        }
        guard start <= end else { return }
        for event in start...end {
            if let ticket = window.complete(event) {
                endings.append(Ending(ticket: ticket, outcome: outcome, event: event))
            } else {
                dropped += 1
            }
        }
    }

    mutating func settle(_ endings: inout [Ending]) {
        if let held = heldAcknowledgement, held.revision <= revision {
            window.acknowledge(through: held.applied)
            heldAcknowledgement = nil
        }
        while let held = heldCompletions.first, held.revision <= revision {
            heldCompletions.removeFirst()
            complete(held.first, held.last, held.outcome, &endings)
        }
        settleEffects()
    }
}
