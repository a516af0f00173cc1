import LatticeConcurrency
import LatticeTransport
import LatticeWire

/// The life of a channel over several sessions: it is opened, loses its session, and is closed or left.
extension ChannelClient {
    /// Prepares the channel for being opened. Call it on the event loop.
    ///
    /// The received updates are decoded, so that it is known which of them are usable. The state that the peer starts
    /// from is encoded.
    ///
    /// - Parameter onReady: Called when a long preparation has finished. The caller then calls this function again.
    /// - Returns: Whether the channel can be opened now.
    func prepareToOpen(_ onReady: @escaping () -> Void) -> Bool {
        deliverGathered()
        let isReady = !loopState.value.isDecoding && !loopState.value.isPreparing && prepareState()
        loopState.value.onReady = isReady ? nil : onReady
        return isReady
    }

    /// Sends `open` on a session. Call it on the event loop.
    func open(on session: Session, to peer: Handshake.Peer) {
        let state = restoredState()
        core.withLock { core in
            core.state.startOpening()
            guard core.state.phase == .opening else { return }
            core.session = session
            core.peer = peer
            core.origins = OriginIndex(limit: limits.maximumOrigins)
            let open = Open(
                feature: subject.feature,
                schema: UInt32(subject.schema),
                instance: subject.instance,
                state: state,
                revision: subject.restoresState ? core.state.revision : core.state.knownRevision,
                resumeAfter: core.state.acknowledged,
                record: core.state.record(in: peer.storeID),
                maximumState: subject.restoresState ? core.state.maximumState : nil,
                takesPatches: takesPatches,
                configuration: subject.configuration,
                wantsCauses: receiveCauses != nil
            )
            // Appending inside the lock prevents `close` from being sent before `open`.
            session.append { $0.addOpen(open, on: number) }
        }
        session.flushSoon()
    }

    /// Detaches from a session that ended. Running effects may continue at the peer.
    func detach() {
        core.withLock { core in
            core.session = nil
            core.state.detach()
        }
    }

    /// Detaches from a worker that terminated, along with everything that ran in it.
    ///
    /// - Returns: Whether a named effect may have caused the termination.
    func detach(interruptedBy termination: WorkerTermination) -> Bool {
        let (endings, effects, isAnswered) = core.withLock { core in
            core.session = nil
            return core.state.detachInterrupting(by: termination)
        }
        guard !endings.isEmpty || !effects.isEmpty else { return isAnswered }
        gatherSoon { gathered in
            gathered.endings += endings.map { ending in
                guard case .interrupted = ending.outcome else { return ending }
                var ending = ending
                ending.report = termination.report
                return ending
            }
            let interrupted = ChannelUpdate.Interrupted(
                cause: termination.cause,
                incarnation: termination.incarnation,
                effects: effects,
                report: termination.report
            )
            gathered.add(.interrupted(interrupted))
        }
        return isAnswered
    }

    /// Closes the channel, which then accepts no events.
    ///
    /// - Parameters:
    ///   - end: The reason, which further senders receive.
    ///   - interruption: The outcome of events that run at a peer that started from the state of this side.
    func close(_ end: ChannelEnd, interruption: WireOutcome) {
        let endings = core.withLock { core in
            core.session = nil
            // A worker that starts from the state of this side has applied no more than is known here. A peer that
            // keeps its own state may have applied more, and may continue to run.
            let unknown = WireOutcome.unanswered(end.reason)
            return subject.restoresState
                ? core.state.close(end, sent: end.outcome, running: interruption)
                : core.state.close(end, sent: unknown, running: unknown)
        }
        gatherSoon { gathered in
            gathered.endings += endings
            gathered.add(.closed(end))
        }
    }

    /// Accepts events again after `close`. You can call it on any thread.
    func revive() {
        core.withLock { $0.state.revive() }
        gatherSoon { $0.add(.revived) }
    }

    /// Leaves the channel: sends `close` and ends all events. You can call it on any thread.
    func leave() {
        let (endings, session) = core.withLock { core in
            defer { core.session = nil }
            let isOnWire = core.state.phase == .open || core.state.phase == .opening
            // `close` is sent after all events that were sent before.
            if isOnWire { core.session?.append { $0.addData(Close(), on: number) } }
            // The peer cancels the events if it receives `close`. A worker's events end with the worker. Otherwise the
            // outcome cannot become known.
            let sent =
                isOnWire || subject.restoresState
                ? WireOutcome.cancelled(WireCancellation(by: .closed)) : .unanswered("The channel was closed.")
            return (core.state.close(.left, sent: sent, running: sent), core.session)
        }
        session?.flushSoon()
        for ending in endings {
            // An event that was never sent ends in the same way as one that was sent.
            if case .rejected = ending.outcome {
                ending.promise.ended(.cancelled(WireCancellation(by: .closed, stage: .beforeStart)))
            } else {
                ending.promise.ended(ending.outcome)
            }
        }
        // Notifies callers that wait for the channel to be opened.
        gatherSoon { $0.add(.closed(.left)) }
    }

    /// Delivers the status of the process that runs the feature. You can call it on any thread.
    package func report(_ host: ChannelUpdate.HostReport) {
        gatherSoon { $0.add(.host(host)) }
    }
}
