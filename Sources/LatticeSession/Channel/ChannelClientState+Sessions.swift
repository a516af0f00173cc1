package import LatticeWire

/// Detaching from a lost peer, and reopening the channel in the next session.
extension ChannelClientState {
    /// The result of opening the channel again.
    struct Reopening {
        /// The entries to send again, oldest first.
        ///
        /// Events that were acknowledged and have not ended come first. They are sent without their action, as the
        /// question whether they have ended meanwhile.
        let resending: [EventWindow<Promise>.Entry]
        /// The outcomes that arrived while `opened` was in flight, and the outcomes of events that the peer no longer
        /// knows.
        let endings: [Ending]
        /// Whether the whole state must be requested because no usable state is present.
        var needsState = false
    }

    /// The kind of peer that answered `open`.
    package enum Answerer: Sendable, Equatable {
        /// A peer that starts from the opener's state, such as a worker. Unacknowledged events are sent again.
        case starter
        /// A peer that keeps its own state, such as a coordinator. `storeID` identifies its store. `record` identifies
        /// this channel in it, or is nil if the peer keeps no record.
        case keeper(storeID: [UInt8], record: UInt64?)
    }

    /// Records that the worker that served the channel died. Applied events that have not ended are interrupted.
    /// Unacknowledged events whose deadline has passed end. The other events wait.
    ///
    /// - Returns: The outcomes of the ended events, the named effects that ran and may be started again, and whether a
    ///   named effect may have caused the death.
    package mutating func detachInterrupting(
        by termination: WorkerTermination
    ) -> (endings: [Ending], effects: [EffectDeaths], isAnswered: Bool) {
        let interrupted = effects.peerTerminated(isBlamed: termination.blame.includesEffects) { [window] in
            !window.contains($0)
        }
        detach()
        let failed = interrupted.failing.sorted { $0.key < $1.key }.compactMap { event, effect in
            window.complete(event).map { Ending(promise: $0, outcome: termination.failure(by: effect)) }
        }
        let expired = window.removeUnacknowledged(where: \.isExpired)
        return (
            failed + end(window.removeRunning(), termination.outcome) + end(expired, .deadlinePassed),
            interrupted.recoverable,
            termination.blame.includesEffects && !(interrupted.recoverable.isEmpty && interrupted.failing.isEmpty)
        )
    }

    /// Records that the connection broke. The peer may still process what it received.
    package mutating func detach() {
        if case .closed = phase { return }
        phase = .detached
        overdueBytes = 0
        heldCompletions.removeAll()
        heldAcknowledgement = nil
        effects.forgetHeld()
    }

    /// Records that a session is available and `open` is about to be sent.
    package mutating func startOpening() {
        if case .closed = phase { return }
        phase = .opening
    }

    /// The revision of the newest state, for a server that may know what has changed since. Zero if the state is
    /// unusable.
    package var knownRevision: UInt64 { baseline == .usable ? revision : 0 }

    /// Returns the record of this channel in the store with this identity, or nil if the last server had another store.
    package func record(in storeID: [UInt8]) -> UInt64? {
        guard case .keeper(storeID, let record)? = answerer else { return nil }
        return record
    }

    /// Handles `opened`.
    ///
    /// - Parameters:
    ///   - bytes: The encoded state, or nil if the peer continues from a state that is present here.
    ///   - revision: The revision of the state.
    ///   - applied: The highest event that is contained in the state.
    ///   - answerer: The kind of peer that answered. If it is not the peer that served the channel before, or if it has
    ///     forgotten the channel, its numbers start again at zero. Events that were already sent are then not sent
    ///     again.
    mutating func opened(
        state bytes: [UInt8]?,
        revision: UInt64,
        applied: UInt64,
        by answerer: Answerer
    ) -> Reopening {
        guard isOpening else { return Reopening(resending: [], endings: []) }
        phase = .open
        self.revision = revision
        if let bytes {
            kept = KeptState(bytes)
            baseline = .usable
        } else if baseline == .refused {
            // The state before the refused one was sent with `open`.
            baseline = .usable
        }
        var endings = endForgotten(by: answerer)
        self.answerer = answerer
        window.acknowledge(through: applied)
        settle(&endings)
        return Reopening(
            resending: window.running + (heldAfter == nil ? window.takeUnacknowledged() : []),
            endings: endings,
            needsState: baseline == .awaited
        )
    }

    /// Ends the events that were sent to a peer that no longer knows them.
    private mutating func endForgotten(by answerer: Answerer) -> [Ending] {
        guard case .keeper(let storeID, let record) = answerer else {
            // The peer starts from the state of this side.
            return end(window.removeRunning(), .disconnected)
        }
        guard case .keeper(let oldStoreID, let oldRecord)? = self.answerer else { return [] }
        guard storeID == oldStoreID else {
            return end(window.removeRunning(), .disconnected)
                + end(window.removeUnacknowledged(where: \.wasSent), .storeReplaced)
        }
        guard record == nil || record != oldRecord else { return [] }
        return end(window.removeRunning(), .outcomeForgotten)
            + end(window.removeUnacknowledged(where: \.wasSent), .eventForgotten)
    }

    private func end(_ promises: [Promise], _ outcome: WireOutcome) -> [Ending] {
        promises.map { Ending(promise: $0, outcome: outcome) }
    }

    /// Closes the channel, because no peer will answer any more. Events that were never sent are rejected.
    ///
    /// - Parameters:
    ///   - reason: The reason, which further senders receive.
    ///   - sent: The outcome of events that were sent and not acknowledged.
    ///   - running: The outcome of events that were acknowledged and have not ended.
    /// - Returns: The outcomes of all events that had not ended.
    package mutating func close(_ reason: ChannelEnd, sent: WireOutcome, running: WireOutcome) -> [Ending] {
        if case .closed = phase { return [] }
        phase = .closed(reason)
        return end(window.removeRunning(), running)
            + end(window.removeUnacknowledged(where: \.wasSent), sent)
            + end(window.removeUnacknowledged(), reason.outcome)
    }

    /// Accepts events again after `close`. A manual reset of the worker uses this.
    package mutating func revive() {
        if case .closed = phase { phase = .detached }
    }
}

extension WireOutcome {
    /// The outcome of an event that was not applied before its deadline. `EventRejection.deadlinePassed` of LatticeCore
    /// has the same sentence. This module cannot import LatticeCore.
    package static let deadlinePassed = WireOutcome.rejected(
        code: .deadline,
        reason: "The deadline passed before the event was applied. Send it with a later deadline."
    )

    /// The outcome of an event that was applied and whose real outcome is lost with the connection.
    package static var disconnected: WireOutcome { .interrupted(cause: .disconnected, incarnation: 0) }

    fileprivate static var storeReplaced: WireOutcome {
        .unknown(
            reason: "Another coordinator process answers now, and the one before it had not acknowledged the event."
                + " Look at the state before you send it again."
        )
    }

    fileprivate static var eventForgotten: WireOutcome {
        .unknown(
            reason: "The client was away for longer than the coordinator remembers it, and the event was not"
                + " acknowledged before. Look at the state before you send it again."
        )
    }

    fileprivate static var outcomeForgotten: WireOutcome {
        .unknown(
            reason: "The event was applied, but the client was away for longer than the coordinator keeps its outcome."
                + " Its effects may still run."
        )
    }

    /// Returns the outcome of an event that was sent to a peer that does not answer any more.
    static func unanswered(_ reason: String) -> WireOutcome {
        .unknown(reason: "The event was sent, and may have been applied or may still run: \(reason)")
    }

    /// The outcome of an event that ended so long ago that its real outcome is no longer kept.
    static var tooLongAgo: WireOutcome {
        .unknown(reason: "The event ended so long ago that the coordinator no longer keeps its outcome.")
    }
}
