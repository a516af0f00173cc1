import LatticeConcurrency
import LatticeTransport
package import LatticeWire

/// What comes back on a channel: gathered during a tick of the event loop, delivered at its end.
extension ChannelClient {
    package func receive(_ kind: MessageKind, _ body: UnsafeRawBufferPointer) throws(WireError) {
        switch kind {
        case .state:
            receive(try StateMessage.Borrowed(decoding: body))
        case .patch:
            guard takesPatches else { throw .unexpected(.patch, at: "a side that takes no patches") }
            receive(try PatchMessage.Borrowed(decoding: body))
        case .completion:
            try receive(try CompletionMessage(decoding: body))
        case .acknowledgement:
            let message = try AcknowledgementMessage(decoding: body)
            core.withLock { $0.state.receive(acknowledgement: message.applied, revision: message.revision) }
            gather { _ in }
        case .opened:
            try receive(try Opened(decoding: body))
        case .openRefused:
            close(ChannelEnd(try OpenRefused(decoding: body)), interruption: .disconnected)
        case .hostStatus:
            let message = try HostStatusMessage(decoding: body)
            report(ChannelNews.HostReport(status: message, coordinator: core.withLock(\.peer)?.life))
        case .closed:
            close(ChannelEnd(reason: try Closed(decoding: body).reason), interruption: .disconnected)
        default:
            throw .unexpected(kind, at: "the side that opened its channel")
        }
    }

    private func receive(_ message: StateMessage.Borrowed) {
        let isKept = subject.restoresState || !deliversEveryState
        let bytes = isKept ? [UInt8](message.state) : nil
        let (isNewer, acknowledged) = core.withLock { core in
            let isNewer = core.state.receive(
                state: subject.restoresState ? bytes : nil,
                revision: message.revision,
                applied: message.applied,
                endings: &gathered.endings
            )
            return (isNewer, core.state.acknowledged)
        }
        guard isNewer else { return }
        if deliversEveryState {
            return deliver(StateUpdate(snapshot: message.state), message.revision, acknowledged)
        }
        if let bytes { gatheredState.replace(by: bytes) }
        deliverAtEndOfTick()
    }

    private func receive(_ message: PatchMessage.Borrowed) {
        let change = [UInt8](message.changes)
        let (receipt, acknowledged, session) = core.withLock { core in
            let receipt = core.state.receive(
                patch: subject.restoresState ? change : nil,
                base: message.base,
                revision: message.revision,
                applied: message.applied,
                endings: &gathered.endings
            )
            return (receipt, core.state.acknowledged, core.session)
        }
        switch receipt {
        case .taken:
            if deliversEveryState { return deliver(StateUpdate(changes: [change]), message.revision, acknowledged) }
            do {
                try gatheredState.append(change, limits)
            } catch {
                gatheredState = GatheredState()
                resync(&gathered)
            }
            deliverAtEndOfTick()
        case .dropped:
            break
        case .resync(let revision):
            session?.sendControl(ResyncMessage(revision: revision), on: number)
        }
    }

    private func receive(_ message: CompletionMessage) throws(WireError) {
        do throws(SessionError) {
            try core.withLock { core throws(SessionError) in
                try core.state.receive(
                    completion: message.event,
                    through: message.through ?? message.event,
                    revision: message.revision,
                    outcome: message.outcome,
                    endings: &gathered.endings
                )
            }
        } catch {
            throw .session(error.detail)
        }
        deliverAtEndOfTick()
    }

    private func receive(_ message: Opened) throws(WireError) {
        // An empty state stands for the one that went out with `open`, or whose number did.
        let bytes = message.state.isEmpty ? nil : message.state
        let known = core.withLock(\.state.knownRevision)
        guard bytes != nil || subject.restoresState || takesPatches && message.revision == known else {
            throw .session("the state \(message.revision) is taken for known, and \(known) is the newest here")
        }
        let (reopening, session) = core.withLock { core in
            let reopening = core.state.opened(
                state: bytes,
                revision: message.revision,
                applied: message.applied,
                by: subject.restoresState ? .starter : .keeper(memory: core.peer?.memory ?? [], record: message.record)
            )
            core.session?.append { queue in
                if reopening.needsState { queue.addControl(ResyncMessage(revision: message.revision), on: number) }
                for event in reopening.resending {
                    let origin = event.name.map { core.origins.introduce($0, on: number, in: &queue) }
                    queue.addKeptEvent(event.number, action: event.action ?? [], origin: origin, on: number)
                    if event.isCancelled { queue.addControl(CancelMessage(event: event.number), on: number) }
                }
            }
            return (reopening, core.session)
        }
        session?.flushSoon()
        gather { gathered in
            if let bytes {
                gatheredState.replace(by: bytes)
            } else if !reopening.needsState, let accepted {
                // It goes on from that state.
                self.accepted?.revision = message.revision
                self.accepted?.acknowledged = max(accepted.acknowledged, message.applied)
                solveProblem(&gathered)
            }
            gathered.add(.opened)
            gathered.endings += reopening.endings
        }
    }

    // MARK: Delivering

    /// Any thread.
    func gatherSoon(_ add: @escaping @Sendable (inout ChannelNews) -> Void) {
        if eventLoop.isCurrent { gather(add) } else { eventLoop.execute { [self] in gather(add) } }
    }

    func gather(_ add: (inout ChannelNews) -> Void) {
        add(&gathered)
        deliverAtEndOfTick()
    }

    private func deliverAtEndOfTick() {
        guard !isGathering else { return }
        isGathering = true
        eventLoop.atEndOfTick(self)
    }

    package func tickEnded() {
        deliverGathered()
    }

    /// Delivers what was gathered, if anything was.
    func deliverGathered() {
        guard isGathering else { return }
        isGathering = false
        let (revision, acknowledged) = core.withLock { ($0.state.revision, $0.state.acknowledged) }
        guard !gatheredState.isEmpty else { return deliver(StateUpdate(), revision, acknowledged) }
        var state = GatheredState()
        swap(&state, &gatheredState)
        guard let snapshot = state.snapshot else {
            return deliver(StateUpdate(changes: state.changes), revision, acknowledged)
        }
        if state.changes.isEmpty { delivered = snapshot }
        snapshot.withUnsafeBytes { deliver(StateUpdate(snapshot: $0, changes: state.changes), revision, acknowledged) }
        delivered = nil
    }

    /// - Parameters:
    ///   - revision: The number of the newest state.
    ///   - acknowledged: The highest event that is acknowledged.
    private func deliver(_ update: StateUpdate, _ revision: UInt64, _ acknowledged: UInt64) {
        var news = ChannelNews()
        if !gathered.isEmpty { swap(&news, &gathered) }
        news.acknowledged = acknowledged
        deliveredRevision = revision
        if let withheld {
            if update.snapshot != nil || news.end != nil {
                news.endings = withheld + news.endings
                self.withheld = nil
            } else {
                // What was acknowledged since is part of a state that is not here.
                news.acknowledged = accepted?.acknowledged ?? 0
            }
        }
        deliver(self, news, update)
    }
}
