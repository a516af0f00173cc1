package import LatticeWire

/// What the end of a channel does that opened it when it loses the other side, and when it finds it again.
extension ChannelClientState {
    /// The worker behind the channel died: what it had applied and not ended is interrupted, what nobody has a use for
    /// any more ends, the rest waits.
    ///
    /// - Returns: How that ends, which effects with names ran that may be started again, and whether one with a name
    ///   may be why.
    package mutating func detachInterrupting(
        by life: WorkerTermination
    ) -> (endings: [Ending], effects: [EffectDeaths], isAnswered: Bool) {
        let interrupted = effects.lifeEnded(isBlamed: life.blame.holdsForEffects) { [window] in !window.contains($0) }
        detach()
        let failed = interrupted.failing.sorted { $0.key < $1.key }.compactMap { event, effect in
            window.complete(event).map { Ending(ticket: $0, outcome: life.failure(by: effect)) }
        }
        let expired = window.removeUnacknowledged(where: \.isExpired)
        return (
            failed + end(window.removeRunning(), life.outcome) + end(expired, .deadlinePassed),
            interrupted.recoverable,
            life.blame.holdsForEffects && !(interrupted.recoverable.isEmpty && interrupted.failing.isEmpty)
        )
    }

    /// The connection broke; the other side may still be running what it was sent.
    package mutating func detach() {
        if case .closed = phase { return }
        phase = .detached
        heldCompletions.removeAll()
        heldAcknowledgement = nil
        effects.forgetHeld()
    }

    /// A session is there: `open` is about to go out.
    package mutating func startOpening() {
        if case .closed = phase { return }
        phase = .opening
    }

    /// The number of the newest state, for who may know what has changed since; 0 if it is of no use.
    package var knownRevision: UInt64 { baseline == .usable ? revision : 0 }

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
        if let bytes {
            kept = KeptState(bytes)
            baseline = .usable
        } else if baseline == .refused {
            // The one before it went out with `open`.
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

    /// Ends what was sent to somebody who does not remember it.
    private mutating func endForgotten(by answerer: Answerer) -> [Ending] {
        guard case .keeper(let memory, let record) = answerer else {
            // Starts from what this side knows.
            return end(window.removeRunning(), .disconnected)
        }
        guard case .keeper(let oldMemory, let oldRecord)? = self.answerer else { return [] }
        guard memory == oldMemory else {
            return end(window.removeRunning(), .disconnected)
                + end(window.removeUnacknowledged(where: \.wasSent), .memoryLost)
        }
        guard record == nil || record != oldRecord else { return [] }
        return end(window.removeRunning(), .outcomeForgotten)
            + end(window.removeUnacknowledged(where: \.wasSent), .eventForgotten)
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
            + end(window.removeUnacknowledged(where: \.wasSent), sent)
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
