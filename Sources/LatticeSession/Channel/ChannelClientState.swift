import DequeModule
package import LatticeWire

/// The state machine of a channel's opening end: which events are in flight, what the peer has acknowledged, and which
/// events have ended.
///
/// ``ChannelClient`` queries this machine and executes its decisions. A coordinator has one machine for each feature of
/// a worker. A client has one for each feature of a coordinator.
///
/// The machine outlives the session. When a worker dies or a connection breaks, the next session opens the channel
/// again from this state. The machine then decides which events are sent again and which end as unknown.
///
/// The machine does no I/O. It handles invalid input as follows. A state that is not newer is ignored and counted. A
/// second outcome for an event is ignored and counted. If more completions are held than events can exist, the peer has
/// violated the protocol.
package struct ChannelClientState<Promise: Sendable>: Sendable {
    /// The connection phase of the channel.
    package enum Phase: Sendable, Equatable {
        /// There is no session, and events wait.
        case detached
        /// `open` was sent and is not answered yet. Events wait.
        case opening
        /// Events are sent as soon as they are submitted.
        case open
        /// No events are accepted. Each sender receives the reason.
        case closed(ChannelEnd)
    }

    /// The decision about an event that was just submitted.
    package enum Sending {
        /// The event must be written to the connection now.
        case transmit(UInt64)
        /// The event is sent when the channel is open.
        case wait(UInt64)
        /// The event is not accepted and ends with this outcome.
        case reject(WireOutcome, Promise)
    }

    /// The decision about an event that was cancelled.
    package enum Cancelling {
        /// The cancel must be sent to the peer.
        case transmit
        /// The event ends here, because no peer may have applied it.
        case end(Promise)
        /// Nothing has to be done: the event has ended, or the cancel is sent when the channel opens.
        case nothing
    }

    /// The outcome of an event together with the promise to complete.
    package struct Ending: Sendable {
        /// The promise to complete.
        package let promise: Promise
        /// The outcome of the event.
        package var outcome: WireOutcome
        /// The number of the event if the peer sent the outcome, otherwise 0.
        package var event: UInt64 = 0
        /// Details of the worker termination that caused this outcome. Nil if this process does not know them. A client
        /// gets them in a message of their own.
        package var report: TerminationReport?
    }

    /// A completion that arrived before its state.
    struct Held {
        let first: UInt64
        let last: UInt64
        let revision: UInt64
        let outcome: WireOutcome
    }

    /// The result of receiving a patch.
    package enum PatchReceipt: Equatable {
        /// The patch leads to the newest state.
        case taken
        /// The patch is unusable and was ignored.
        case dropped
        /// The patch is unusable, and the whole state must be requested. The value is the revision of the newest state
        /// that is present.
        case resync(UInt64)
    }

    /// The condition of the newest state that was received.
    enum Baseline {
        /// Patches can be applied to the state.
        case usable
        /// The state could not be decoded. The next patch is unusable and causes a request for the whole state.
        case refused
        /// The whole state was requested.
        case awaited
    }

    /// The connection phase of the channel.
    package internal(set) var phase: Phase = .detached
    /// The revision of the newest state that was received, or 0 before the first one.
    package internal(set) var revision: UInt64 = 0
    /// The state itself, if the next server must start from it.
    package internal(set) var kept: KeptState?
    var baseline = Baseline.usable
    /// The number of messages that arrived too late and were ignored.
    package private(set) var dropped = 0

    private let limits: ChannelLimits
    var window = EventWindow<Promise>()
    var effects = NamedEffectLedger()
    /// The completions that wait for their state, in the order of arrival. This is also the order of their revisions.
    var heldCompletions: Deque<Held> = []
    var heldAcknowledgement: (applied: UInt64, revision: UInt64)?
    /// The last event that may be sent while events are retried one at a time. Later events wait. Nil if no event is
    /// held back.
    var heldAfter: UInt64?
    /// The kind of peer that answered the last `open`, or nil before the first answer.
    var answerer: Answerer?
    /// The newest events that the peer has applied, or nil while they have no reader.
    var applied: AppliedEvents?
    /// The size in bytes of the actions of events that were overdue, until a state shows that the peer reads again.
    var overdueBytes = 0

    /// Creates the state of a channel that was never opened.
    package init(limits: ChannelLimits = ChannelLimits()) {
        self.limits = limits
    }

    /// A Boolean value that indicates whether some event has not ended.
    package var hasEvents: Bool { !window.isEmpty }
    /// The number of events that have no outcome.
    package var eventCount: Int { window.count }

    /// The number of the next event.
    package var nextEvent: UInt64 { window.nextNumber }
    /// The highest event up to which no event has to be sent again.
    package var acknowledged: UInt64 { window.acknowledged }

    /// The maximum size in bytes of a state that this side accepts, as it is sent to the server. Nil if it is the
    /// default of the protocol.
    package var maximumState: UInt32? {
        limits.maximumState == FrameLimits.maximumState ? nil : UInt32(clamping: limits.maximumState)
    }

    // MARK: Sending

    /// Adds an event and decides whether it is sent now.
    ///
    /// - Parameters:
    ///   - action: The encoded action.
    ///   - name: The name of the event, or nil for an event of the opener itself.
    ///   - metadata: The metadata that travels with the event.
    ///   - promise: The promise to complete when the event ends.
    package mutating func send(
        _ action: [UInt8],
        as name: EventName? = nil,
        metadata: EventMetadata = .none,
        promise: consuming Promise
    ) -> Sending {
        if case .closed(let end) = phase { return .reject(end.outcome, promise) }
        guard action.count <= limits.maximumAction else {
            return .reject(
                .rejected(
                    code: .tooLarge,
                    reason:
                        "The action has \(action.count) bytes, but at most \(limits.maximumAction) bytes can be sent."
                        + " Put large data into a file and send its name."
                ),
                promise
            )
        }
        guard window.unacknowledged < limits.maximumEvents,
            window.unacknowledgedBytes + action.count <= limits.maximumEventBytes
        else {
            return .reject(
                .rejected(
                    code: .overloaded,
                    reason: "The limit of unacknowledged events is reached (events: \(window.unacknowledged), bytes:"
                        + " \(window.unacknowledgedBytes)). Wait for some of them to end."
                ),
                promise
            )
        }
        let isFree = isOpen && heldAfter == nil
        let event = window.append(action: action, as: name, metadata: metadata, promise: promise, wasSent: isFree)
        return isFree ? .transmit(event) : .wait(event)
    }

    /// Cancels an event and decides whether the peer must be notified.
    package mutating func cancel(_ event: UInt64, _ cancellation: WireCancellation) -> Cancelling {
        guard let entry = window.cancel(event, cancellation) else { return .nothing }
        if !isOut(entry), let promise = window.complete(event) { return .end(promise) }
        return isOpen && event <= heldAfter ?? event ? .transmit : .nothing
    }

    /// Records that the deadline of an event has passed.
    ///
    /// - Returns: The promise of the event if it ends here. Nil if the peer handles the deadline, or if the event was
    ///   applied.
    package mutating func expire(_ event: UInt64) -> Promise? {
        guard let entry = window.expire(event), !isOut(entry) else { return nil }
        return window.complete(event)
    }

    // MARK: Receiving

    /// Receives a state.
    ///
    /// - Parameters:
    ///   - bytes: The encoded state for the next server. Nil if the next server does not start from it.
    ///   - revision: The revision of the state.
    ///   - applied: The highest event that is contained in the state.
    ///   - endings: Receives the outcomes that take effect with the state.
    /// - Returns: Whether the state is newer than the last one or was requested. If not, the state was ignored.
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

    /// Receives a patch.
    ///
    /// - Parameters:
    ///   - change: The encoded change if the state is kept, otherwise nil.
    ///   - base: The revision of the state that the patch applies to.
    ///   - revision: The revision of the resulting state.
    ///   - applied: The highest event that is contained in the resulting state.
    ///   - endings: Receives the outcomes that take effect with the patch.
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
        noteState(through: applied)
        window.acknowledge(through: applied)
        settle(&endings)
    }

    /// Replaces the bytes of the newest state by a form that its owner provides, after the state was decoded.
    package mutating func accept(_ state: KeptState) {
        kept = state
    }

    /// Returns to an earlier state, because the newest state cannot be decoded. The next server starts from the earlier
    /// state.
    ///
    /// - Parameters:
    ///   - state: The earlier state, or nil if the next server does not start from it.
    ///   - known: The highest event that is contained in the earlier state. The results of the events that were
    ///     acknowledged after it are lost.
    /// - Returns: The promises of the running events among those, which have failed.
    package mutating func refuseState(keeping state: KeptState?, after known: UInt64) -> [Promise] {
        kept = state
        baseline = .refused
        return window.removeRunning(after: known)
    }

    /// Returns to an earlier revision, because the received changes cannot be applied to it. That revision is the
    /// newest usable one.
    ///
    /// - Returns: Whether the whole state can be requested now and was not requested before.
    package mutating func resync(from revision: UInt64) -> Bool {
        defer { baseline = .awaited }
        self.revision = revision
        return isOpen && baseline != .awaited
    }

    /// Receives an acknowledgement. It takes effect when the state with its revision has arrived.
    package mutating func receive(acknowledgement applied: UInt64, revision: UInt64) {
        guard isAttached else {
            dropped += 1
            return
        }
        guard isOpening || revision > self.revision else {
            window.acknowledge(through: applied)
            return settleEffects()
        }
        if applied >= heldAcknowledgement?.applied ?? 0 { heldAcknowledgement = (applied, revision) }
    }

    /// Receives the outcome of the events from `first` to `last`.
    ///
    /// The outcome takes effect when the state that it belongs to has arrived. It acknowledges only these events,
    /// because a rejection may have overtaken the events before them.
    ///
    /// - Parameters:
    ///   - first: The number of the first event.
    ///   - last: The number of the last event.
    ///   - revision: The revision of the state that the outcome belongs to.
    ///   - outcome: The outcome of each of the events.
    ///   - endings: Receives the events that have ended now. Events that have already ended or were never sent are
    ///     skipped.
    /// - Throws: A violation if the peer completes more events than it can have received.
    package mutating func receive(
        completion first: UInt64,
        through last: UInt64,
        revision: UInt64,
        outcome: WireOutcome,
        endings: inout [Ending]
    ) throws(SessionError) {
        guard isAttached else {
            dropped += 1
            return
        }
        // Completions are held while the channel is being opened, too, because control messages overtake a large
        // `opened`.
        // The revisions of completions must not decrease. A completion with a lower revision waits for the revision of
        // the one before it.
        let awaited = max(revision, heldCompletions.last?.revision ?? 0)
        if isOpening || awaited > self.revision {
            guard heldCompletions.count < limits.maximumHeldCompletions else {
                throw .violation(
                    "Too many completions (\(heldCompletions.count)) wait for a state that did not arrive."
                )
            }
            heldCompletions.append(Held(first: first, last: last, revision: awaited, outcome: outcome))
            return
        }
        complete(first, last, outcome, &endings)
        settleEffects()
    }

    /// Receives the named effects that have begun or ended. They belong to a state or an acknowledgement that follows.
    ///
    /// - Throws: A violation if the peer reports more running effects than the limit allows.
    package mutating func receive(_ message: EffectsMessage) throws(SessionError) {
        guard isAttached else {
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
    private var isAttached: Bool { isOpen || isOpening }

    private mutating func complete(
        _ first: UInt64,
        _ last: UInt64,
        _ outcome: WireOutcome,
        _ endings: inout [Ending]
    ) {
        // The loop is limited to events that were sent, whatever range the peer claims.
        let end = min(last, window.nextNumber - 1)
        guard first <= end else {
            dropped += 1
            return
        }
        let start = max(first, window.firstNumber)
        if first < start {
            let passed = window.completePassed(first...min(end, start - 1))
            for (event, promise) in passed { endings.append(Ending(promise: promise, outcome: outcome, event: event)) }
            dropped += Int(clamping: min(end, start - 1) - first) + 1 - passed.count
        }
        guard start <= end else { return }
        for event in start...end {
            if let promise = window.complete(event) {
                endings.append(Ending(promise: promise, outcome: outcome, event: event))
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
