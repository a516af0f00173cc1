import LatticeConcurrency
package import LatticeWire

/// A channel of a coordinator, which forwards the events of a client to a worker and shares its state with other
/// channels.
extension ChannelServer {
    /// Answers `open` on a channel that shares its state with other channels.
    ///
    /// - Parameters:
    ///   - host: The host of the channel.
    ///   - session: The session in which `open` arrived. If another session has replaced it, this function does not
    ///     answer. The other session's `open` is answered separately.
    ///   - source: The source of the shared state.
    ///   - number: The forwarded number up to which events are contained in the state.
    ///   - status: The status of the feature's worker, or nil if it is not sent.
    package func answer(
        by host: any ChannelHost,
        on session: Session,
        showing source: StateSource,
        throughForwarded number: UInt64,
        status: HostStatusMessage? = nil
    ) {
        if source !== core.value.source {
            // The revisions that the peer knows belong to another source.
            source.log.value.skip(to: core.value.state.revision)
            core.value.source = source
            core.value.firstRevision = source.log.value.revision
            core.value.preparing = nil
            if case .opening(let session, _) = core.value.phase { core.value.phase = .opening(session, nil) }
        }
        core.value.state.release(revision: source.log.value.revision, throughForwarded: number)
        core.value.causes = host.makeCauseReader().map { Causes(reader: $0, released: number) }
        if isOpening(on: session) { answer(by: host, status: status) }
    }

    /// Sends the status of the feature's worker to the peer.
    package func report(_ status: HostStatusMessage) {
        switch core.value.phase {
        case .answering(let session, var answer):
            answer.host = status
            core.value.phase = .answering(session, answer)
        case .open(let session):
            session.append { $0.addControl(status, on: number) }
            session.flushSoon()
        case .away, .opening, .closed:
            break
        }
    }

    /// Sends details of a worker termination to a connected client.
    ///
    /// The details are sent once for each incarnation and session.
    ///
    /// - Parameters:
    ///   - incarnation: The incarnation that terminated.
    ///   - again: Whether to send the details again, because they have changed.
    ///   - message: Makes the message. Not called if nothing is sent.
    package func explain(incarnation: UInt64, again: Bool, _ message: () -> CrashReportMessage) {
        guard case .open(let session) = core.value.phase, again || core.value.explainedIncarnation != incarnation else {
            return
        }
        core.value.explainedIncarnation = incarnation
        session.append { $0.addControl(message(), on: number) }
        session.flushSoon()
    }

    /// Records the number under which a running event was forwarded to the worker. The host may have held the event
    /// back before, and forwards events in their order.
    package func forwarded(_ event: UInt64, as number: UInt64) {
        if core.value.running[event] != nil { core.value.forward(event, as: number) }
    }

    /// Records the outcome of a running event. ``releaseOutcomes()`` releases it.
    package func recordOutcome(_ outcome: WireOutcome, of event: UInt64) {
        if core.value.remove(event) { core.value.state.complete(event, outcome) }
    }

    /// Releases the recorded outcomes with everything that is applied.
    package func releaseOutcomes() {
        core.value.state.release()
        if publish() { core.value.session?.flushSoon() }
    }

    /// Releases the newest state of the source that this channel shares with others. The state contains the events that
    /// were forwarded up to `number`.
    ///
    /// The messages are added to the session without being written.
    ///
    /// - Parameters:
    ///   - frames: The frames of that state, which several channels share.
    ///   - number: The forwarded number up to which events are applied.
    /// - Returns: Whether something must be written.
    package func release(_ frames: inout StateFrames?, throughForwarded number: UInt64) -> Bool {
        core.value.state.release(revision: frames?.revision, throughForwarded: number)
        guard core.value.causes != nil else { return publish(&frames) }
        core.value.causes?.released = number
        defer {
            // The events have changed nothing that the peer is shown.
            if !core.value.state.isDirty { core.value.causes?.sent = number }
        }
        return publish(&frames)
    }

    /// Writes what was added to the session.
    package func flushSoon() { core.value.session?.flushSoon() }

    /// Writes what was added to the session, after other input of the event loop.
    package func fairFlush() { core.value.session?.fairFlush() }

    /// The number of events that were accepted and have not ended.
    package var runningCount: Int { core.value.running.count }

    /// The numbers of the events that were accepted and have not ended, in no order. A higher number has arrived later.
    package var runningNumbers: Dictionary<UInt64, any RunningEvent>.Keys { core.value.running.keys }

    /// Returns the event with a number, or nil if it has ended or was not accepted.
    package func runningEvent(_ number: UInt64) -> (any RunningEvent)? { core.value.running[number] }

    /// The highest event that has arrived.
    package var received: UInt64 { core.value.state.received }

    /// The state of the channel and the numbers of the running events, for a coordinator that stores them.
    package var remembered: (state: ChannelServerState, running: [UInt64]) {
        (core.value.state, core.value.running.keys.sorted())
    }
}
