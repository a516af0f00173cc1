import LatticeConcurrency
import LatticeTransport
package import LatticeWire

/// Receiving on a channel: messages are collected during a tick of the event loop and delivered at its end.
extension ChannelClient {
    package func receive(_ kind: MessageKind, _ body: UnsafeRawBufferPointer) throws(WireError) {
        switch kind {
        case .state:
            receive(try StateMessage.Borrowed(decoding: body))
        case .patch:
            guard takesPatches else { throw .unexpected(.patch, at: "a side that does not accept patches") }
            receive(try PatchMessage.Borrowed(decoding: body))
        case .completion:
            try receive(try CompletionMessage(decoding: body))
        case .acknowledgement:
            let message = try AcknowledgementMessage(decoding: body)
            core.withLock { $0.state.receive(acknowledgement: message.applied, revision: message.revision) }
            gather { _ in }
        case .effects:
            guard subject.restoresState else { throw .unexpected(.effects, at: "a side that does not start workers") }
            try receive(try EffectsMessage(decoding: body))
        case .opened:
            try receive(try Opened(decoding: body))
        case .openRefused:
            close(ChannelEnd(try OpenRefused(decoding: body)), interruption: .disconnected)
        case .hostStatus:
            let message = try HostStatusMessage(decoding: body)
            report(ChannelUpdate.HostReport(status: message, coordinator: core.withLock(\.peer)?.coordinatorID))
        case .crashReport:
            // The side that starts the worker has more precise details itself.
            guard !subject.restoresState else { throw .unexpected(.crashReport, at: "a side that starts workers") }
            let message = try CrashReportMessage(decoding: body)
            gather { $0.add(.crashReport(message)) }
        case .causes:
            guard let receiveCauses else { throw .unexpected(.causes, at: "a side that did not ask for them") }
            receiveCauses(try CausesMessage(decoding: body))
        case .closed:
            close(ChannelEnd(reason: try Closed(decoding: body).reason), interruption: .disconnected)
        default:
            throw .unexpected(kind, at: "the side that opened its channel")
        }
    }

    package func receive(_ kind: MessageKind, _ body: UnsafeRawBufferPointer, payload: [UInt8]) throws(WireError) {
        switch kind {
        case .state:
            let message = try StateMessage(decoding: body)
            payload.withUnsafeBytes { bytes in
                receive(bytes, message.revision, applied: message.applied, kept: { payload })
            }
        case .patch:
            guard takesPatches else { throw .unexpected(.patch, at: "a side that does not accept patches") }
            let message = try PatchMessage(decoding: body)
            receive(payload, since: message.base, message.revision, applied: message.applied)
        case .opened:
            var message = try Opened(decoding: body)
            message.state = payload
            try receive(message)
        default:
            throw .unexpected(kind, at: "the side that opened its channel")
        }
    }

    /// Receives a whole state.
    private func receive(_ message: StateMessage.Borrowed) {
        receive(message.state, message.revision, applied: message.applied, kept: { [UInt8](message.state) })
    }

    /// - Parameter kept: Returns a copy of the state's bytes that may be kept.
    private func receive(
        _ state: UnsafeRawBufferPointer,
        _ revision: UInt64,
        applied: UInt64,
        kept: () -> [UInt8]
    ) {
        let isKept = subject.restoresState || !deliversEveryState
        let bytes = isKept ? kept() : nil
        let (isNewer, acknowledged) = core.withLock { core in
            let isNewer = core.state.receive(
                state: subject.restoresState ? bytes : nil,
                revision: revision,
                applied: applied,
                endings: &loopState.value.gathered.endings
            )
            return (isNewer, core.state.acknowledged)
        }
        guard isNewer else { return }
        if deliversEveryState {
            return deliver(StateUpdate(snapshot: state), revision, acknowledged)
        }
        if let bytes { loopState.value.gatheredState.replace(by: bytes) }
        deliverAtEndOfTick()
    }

    /// Receives a patch.
    private func receive(_ message: PatchMessage.Borrowed) {
        let change = [UInt8](message.changes)
        receive(change, since: message.base, message.revision, applied: message.applied)
    }

    private func receive(_ change: [UInt8], since base: UInt64, _ revision: UInt64, applied: UInt64) {
        let (receipt, acknowledged, session) = core.withLock { core in
            let receipt = core.state.receive(
                patch: subject.restoresState ? change : nil,
                base: base,
                revision: revision,
                applied: applied,
                endings: &loopState.value.gathered.endings
            )
            return (receipt, core.state.acknowledged, core.session)
        }
        switch receipt {
        case .taken:
            if deliversEveryState { return deliver(StateUpdate(changes: [change]), revision, acknowledged) }
            do {
                try loopState.value.gatheredState.append(change, limits)
            } catch {
                loopState.value.gatheredState = GatheredState()
                resync(&loopState.value.gathered)
            }
            deliverAtEndOfTick()
        case .dropped:
            break
        case .resync(let revision):
            session?.sendControl(ResyncMessage(revision: revision), on: number)
        }
    }

    /// Receives the named effects that have begun or ended.
    private func receive(_ message: EffectsMessage) throws(WireError) {
        do throws(SessionError) {
            try core.withLock { core throws(SessionError) in try core.state.receive(message) }
        } catch {
            throw .session(error.detail)
        }
    }

    /// Receives the outcome of one or several events.
    private func receive(_ message: CompletionMessage) throws(WireError) {
        do throws(SessionError) {
            try core.withLock { core throws(SessionError) in
                try core.state.receive(
                    completion: message.event,
                    through: message.through ?? message.event,
                    revision: message.revision,
                    outcome: message.outcome,
                    endings: &loopState.value.gathered.endings
                )
            }
        } catch {
            throw .session(error.detail)
        }
        deliverAtEndOfTick()
    }

    private func receive(_ message: Opened) throws(WireError) {
        // An empty state stands for the state that was sent with `open`, or whose revision was.
        let bytes = message.state.isEmpty ? nil : message.state
        let known = core.withLock(\.state.knownRevision)
        guard bytes != nil || subject.restoresState || takesPatches && message.revision == known else {
            throw .session(
                "The peer assumes that this side has state \(message.revision), but its newest state is \(known)."
            )
        }
        let (reopening, session) = core.withLock { core in
            let reopening = core.state.opened(
                state: bytes,
                revision: message.revision,
                applied: message.applied,
                by: subject.restoresState
                    ? .starter : .keeper(storeID: core.peer?.storeID ?? [], record: message.record)
            )
            if reopening.needsState {
                core.session?.append { $0.addControl(ResyncMessage(revision: message.revision), on: number) }
            }
            resend(reopening.resending, &core)
            return (reopening, core.session)
        }
        session?.flushSoon()
        gather { gathered in
            if let bytes {
                loopState.value.gatheredState.replace(by: bytes)
            } else if !reopening.needsState, let accepted = loopState.value.accepted {
                // The peer continues from that state.
                loopState.value.accepted?.revision = message.revision
                loopState.value.accepted?.acknowledged = max(accepted.acknowledged, message.applied)
                solveProblem(&gathered)
            }
            gathered.add(.opened)
            gathered.endings += reopening.endings
        }
    }

    // MARK: Delivering

    /// Adds to the update of the present tick, or of the next tick if this is not the event loop. You can call it on
    /// any thread.
    func gatherSoon(_ add: @escaping @Sendable (inout ChannelUpdate) -> Void) {
        if eventLoop.isCurrent { gather(add) } else { eventLoop.execute { [self] in gather(add) } }
    }

    /// Adds to the update of the present tick. Call it on the event loop.
    func gather(_ add: (inout ChannelUpdate) -> Void) {
        add(&loopState.value.gathered)
        deliverAtEndOfTick()
    }

    private func deliverAtEndOfTick() {
        guard !loopState.value.isGathering else { return }
        loopState.value.isGathering = true
        eventLoop.atEndOfTick(self)
    }

    package func tickEnded() {
        deliverGathered()
    }

    /// Delivers everything that was collected, if anything was.
    func deliverGathered() {
        guard loopState.value.isGathering, !loopState.value.isDecoding else { return }
        loopState.value.isGathering = false
        let (revision, acknowledged, proceed) = core.withLock { core in
            (core.state.revision, core.state.acknowledged, core.proceed)
        }
        defer { proceed?() }
        guard !loopState.value.gatheredState.isEmpty else { return deliver(StateUpdate(), revision, acknowledged) }
        var state = GatheredState()
        swap(&state, &loopState.value.gatheredState)
        if state.isLarge, let decode { return startDecoding(state, by: decode, revision, acknowledged) }
        if state.changes.isEmpty { loopState.value.delivered = state.snapshot }
        state.withUpdate { deliver($0, revision, acknowledged) }
        loopState.value.delivered = nil
    }

    /// Decodes a large update on another thread. Everything that was collected with it is delivered with it.
    private func startDecoding(
        _ state: GatheredState,
        by decode: @escaping Decode,
        _ revision: UInt64,
        _ acknowledged: UInt64
    ) {
        var channelUpdate = ChannelUpdate()
        if !loopState.value.gathered.isEmpty { swap(&channelUpdate, &loopState.value.gathered) }
        loopState.value.isDecoding = true
        CodingThreads.run { [self, channelUpdate] in
            let decoded = Result { try state.withUpdate(decode) }
            eventLoop.execute { [self] in
                loopState.value.isDecoding = false
                if case .failure = decoded, loopState.value.gatheredState.snapshot != nil {
                    // The state that could not be decoded is superseded by a newer one.
                    var all = channelUpdate
                    all.merge(loopState.value.gathered)
                    loopState.value.gathered = all
                } else {
                    if state.changes.isEmpty { loopState.value.delivered = state.snapshot }
                    state.withUpdate(decoded: decoded) { deliver($0, revision, acknowledged, channelUpdate) }
                    loopState.value.delivered = nil
                }
                deliverGathered()
                loopState.value.onReady.take()?()
            }
        }
    }

    /// Delivers an update of the state with the collected update of the channel.
    ///
    /// - Parameters:
    ///   - update: The update of the state.
    ///   - revision: The revision of the newest state.
    ///   - acknowledged: The highest event that is acknowledged.
    private func deliver(_ update: StateUpdate, _ revision: UInt64, _ acknowledged: UInt64) {
        var channelUpdate = ChannelUpdate()
        if !loopState.value.gathered.isEmpty { swap(&channelUpdate, &loopState.value.gathered) }
        deliver(update, revision, acknowledged, channelUpdate)
    }

    private func deliver(
        _ update: StateUpdate,
        _ revision: UInt64,
        _ acknowledged: UInt64,
        _ channelUpdate: ChannelUpdate
    ) {
        var channelUpdate = channelUpdate
        channelUpdate.acknowledged = acknowledged
        loopState.value.deliveredRevision = revision
        if let withheld = loopState.value.withheld {
            if update.snapshot != nil || channelUpdate.end != nil {
                channelUpdate.endings = withheld + channelUpdate.endings
                loopState.value.withheld = nil
            } else {
                // The events that were acknowledged meanwhile belong to a state that is not present.
                channelUpdate.acknowledged = loopState.value.accepted?.acknowledged ?? 0
            }
        }
        deliver(self, channelUpdate, update)
    }
}
