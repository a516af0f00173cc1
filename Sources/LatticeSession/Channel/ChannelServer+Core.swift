import LatticeWire

/// What a serving end knows of its channel.
extension ChannelServer {
    /// The phase of the channel in its session.
    enum SessionPhase {
        /// The channel is in no session.
        case away
        /// `open` has arrived, and the host has not answered.
        case opening(Session, Known?)
        /// `opened` waits for room or for its state.
        case answering(Session, Answer)
        /// The channel is open in the session.
        case open(Session)
        /// The channel is permanently closed.
        case closed
    }

    /// A state that the peer already has, as stated in its `open`.
    struct Known {
        let revision: UInt64
        /// The highest event that is certainly contained in the state.
        let applied: UInt64
    }

    /// The part of `opened` that comes from the peer's `open` and from the host.
    struct Answer {
        let known: Known?
        var host: HostStatusMessage?
    }

    /// The numbers of the forwarded events that states contain, for a peer that receives them with each state.
    struct Causes {
        let reader: any CauseReader
        /// The number through which the newest state that was sent contains all events. Nil if it is unknown, because
        /// the peer had the state before.
        var sent: UInt64?
        /// The number through which the newest released state contains all events.
        var released: UInt64
        /// The revision of the state that was prepared last, and the number through which it contains all events.
        /// Newer ones may have been released meanwhile.
        var prepared: (revision: UInt64, through: UInt64) = (0, 0)

        /// Records that a state is sent now.
        mutating func noteSent(_ revision: UInt64) {
            sent = prepared.revision == revision ? prepared.through : released
        }

        /// Records that a state is sent now, and returns the message about it. Nil if nothing is known about it.
        mutating func take(_ revision: UInt64) -> CausesMessage? {
            let before = sent
            noteSent(revision)
            guard let before, let sent else { return nil }
            return reader.causes(after: before, through: sent, of: revision)
        }
    }

    /// What the channel knows. It belongs to the event loop.
    struct Core {
        var state: ChannelServerState
        var phase = SessionPhase.away
        var host: (any ChannelHost)?
        /// The source of the released state.
        var source: StateSource
        /// The lowest revision of `source` that the peer can have. It may have lower ones from an earlier source, which
        /// are other states.
        var firstRevision: UInt64 = 0
        /// The job that prepares the state to be sent next, and the highest event that is contained in that state.
        var preparing: (job: StateJob, applied: UInt64)?
        /// The events of states that were sent to the peer, or nil if it receives none.
        var causes: Causes?
        var running: [UInt64: any RunningEvent] = [:]
        /// The named effects that have begun and ended, as of the newest released state, and that are not sent yet.
        var begunEffects: [EffectsMessage.Effect] = []
        var endedEffects: [UInt64] = []
        /// Called once everything has been published.
        var onPublished: (@Sendable () -> Void)?
        /// The event that was passed to the host last, unless it runs or was completed. The host may complete it before
        /// it returns.
        var starting: UInt64?
        /// The maximum size in bytes of a state that the peer accepts.
        var maximumState = Int.max
        /// The incarnation of the worker whose termination was explained last in this session.
        var explainedIncarnation: UInt64?
        var isRegistered = false
        var outcomesInTick = 0
        var origins: OriginTable
        /// What the turns of a worker's feature have done since the last release. Empty in a coordinator.
        var ledger: TurnLedger
    }
}

extension ChannelServer.Core {
    // Accesses from the class are mutating, because the others would copy the whole value before. That took 5 % of the
    // CPU of `lattice-bench relay`.

    /// The session in which the peer opened the channel.
    var session: Session? {
        mutating get {
            switch phase {
            case .opening(let session, _), .answering(let session, _), .open(let session): session
            case .away, .closed: nil
            }
        }
    }

    /// Receives an event.
    ///
    /// - Parameters:
    ///   - event: The number of the event.
    ///   - limits: The limits of the channel.
    /// - Returns: The host that must start the event, and the cancellation of an event that is already cancelled. Nil
    ///   if the event must not be started.
    mutating func receive(
        _ event: UInt64,
        _ limits: ChannelLimits
    ) -> (host: any ChannelHost, cancellation: WireCancellation?)? {
        // Before `opened`, there is no host for the event and no way to send an outcome. A correct peer does not send
        // events before `opened`.
        guard case .open = phase, let host else { return nil }
        let receipt = state.receive(event: event)
        guard receipt != .duplicate else {
            if running[event] == nil { state.repeatOutcome(of: event) }
            return nil
        }
        guard running.count + ledger.outcomes + state.due.count < limits.maximumRunning else {
            let reason = "Too many events are running (\(running.count)). Wait for some of them to end."
            state.complete(event, .rejected(code: .overloaded, reason: reason))
            return nil
        }
        starting = event
        if case .applyCancelled(let cancellation) = receipt { return (host, cancellation) }
        return (host, nil)
    }

    /// Records that a running event was forwarded.
    mutating func forward(_ event: UInt64, as number: UInt64) {
        let running = running
        state.forward(event, as: number, isRunning: { running[$0] != nil }, running: running.count)
    }

    /// Removes a running event.
    ///
    /// - Returns: Whether the event was running. It was not if it was withdrawn, or if the channel was closed.
    mutating func remove(_ event: UInt64) -> Bool {
        guard starting == event else { return running.removeValue(forKey: event) != nil }
        starting = nil
        return true
    }
}
