import LatticeConcurrency
import LatticeTransport
package import LatticeWire

/// Handling of unusable states: the channel keeps the newest state that is usable.
extension ChannelClient {
    /// Records that the state that is being delivered was decoded. The channel returns to this state if a later one is
    /// unusable. Call it on the event loop.
    ///
    /// - Parameters:
    ///   - update: The update that is being delivered.
    ///   - encode: Encodes the present state for the next server. Nil if the received bytes are kept instead.
    package func accept(_ update: inout ChannelUpdate, encodedBy encode: (@Sendable () throws -> [UInt8])? = nil) {
        if subject.restoresState || loopState.value.accepted == nil {
            let state = subject.restoresState ? keptState(encodedBy: encode) : nil
            loopState.value.accepted = Accepted(
                state: state,
                revision: deliveredRevision,
                acknowledged: update.acknowledged
            )
        } else {
            loopState.value.accepted?.revision = deliveredRevision
            loopState.value.accepted?.acknowledged = update.acknowledged
        }
        solveProblem(&update)
    }

    private func keptState(encodedBy encode: (@Sendable () throws -> [UInt8])?) -> KeptState? {
        if let encode {
            let state = KeptState(encodedBy: encode)
            // A newer state that arrived during the decoding is kept instead.
            core.withLock { if $0.state.revision == deliveredRevision { $0.state.accept(state) } }
            return state
        }
        return loopState.value.delivered.map(KeptState.init) ?? core.withLock(\.state.kept)
    }

    /// Reports that the problem with the state is solved, if there was one. Call it on the event loop.
    func solveProblem(_ update: inout ChannelUpdate) {
        guard loopState.value.hasProblem else { return }
        loopState.value.hasProblem = false
        update.add(.problem(nil))
    }

    /// Returns to the previous state, because the state that is being delivered cannot be decoded. Call it on the event
    /// loop.
    ///
    /// The previous state stays, also for the next server, and the events that were acknowledged since then have
    /// failed. If there is no previous state, the channel is closed.
    ///
    /// - Parameters:
    ///   - failure: The outcome of those events.
    ///   - sentence: The failure as a sentence for people.
    ///   - update: The update that is being delivered.
    package func refuse(_ failure: WireOutcome, _ sentence: String, _ update: inout ChannelUpdate) {
        guard let accepted = loopState.value.accepted else {
            update.add(.closed(closeUndecodable(sentence)))
            return
        }
        let running = core.withLock { core in
            core.state.refuseState(keeping: accepted.state, after: accepted.acknowledged)
        }
        for index in update.endings.indices where update.endings[index].event > accepted.acknowledged {
            if case .finished = update.endings[index].outcome { update.endings[index].outcome = failure }
        }
        update.endings += running.map { .init(promise: $0, outcome: failure) }
        loopState.value.hasProblem = true
        update.add(.problem(sentence))
    }

    private func closeUndecodable(_ sentence: String) -> ChannelEnd {
        let session = core.withLock(\.session)
        session?.append { $0.addData(Close(), on: number) }
        session?.flushSoon()
        let end = ChannelEnd(code: .undecodable, reason: sentence)
        close(end, interruption: .disconnected)
        return end
    }

    /// Requests the whole state from the peer, because the changes that are being delivered cannot be applied. On the
    /// event loop.
    ///
    /// The outcomes since the last usable state are withheld until the whole state has arrived.
    package func resync(_ update: inout ChannelUpdate) {
        // A closed channel receives no further state.
        guard update.end == nil else { return }
        let revision = loopState.value.accepted?.revision ?? 0
        let session = core.withLock { core in core.state.resync(from: revision) ? core.session : nil }
        loopState.value.withheld = (loopState.value.withheld ?? []) + update.endings
        update.endings = []
        update.acknowledged = loopState.value.accepted?.acknowledged ?? 0
        session?.sendControl(ResyncMessage(revision: revision), on: number)
    }

    /// Encodes the state for the next server on another thread. The state does not change meanwhile, because there is
    /// no session.
    ///
    /// - Returns: Whether the state is already encoded.
    func prepareState() -> Bool {
        guard loopState.value.prepared == nil, subject.restoresState, let kept = core.withLock(\.state.kept),
            !kept.isReady
        else { return true }
        loopState.value.isPreparing = true
        CodingThreads.run { [self] in
            let prepared = kept.ready()
            eventLoop.execute { [self] in
                loopState.value.isPreparing = false
                loopState.value.prepared = prepared
                loopState.value.onReady.take()?()
            }
        }
        return false
    }

    /// Returns the encoded state for the next server. Nil before the first state, or if the peer does not start from
    /// this side's state.
    func restoredState() -> [UInt8]? {
        guard subject.restoresState,
            let kept = loopState.value.prepared.take() ?? core.withLock(\.state.kept)
        else { return nil }
        do {
            return try kept.encoded()
        } catch {
            let sentence = "The state of \"\(subject.feature)\" cannot be restored for a new worker: \(error)"
            var update = ChannelUpdate()
            update.endings = loopState.value.withheld.take() ?? []
            refuse(.failed(type: "\(type(of: error))", message: sentence), sentence, &update)
            gather { $0.merge(update) }
            if let state = try? loopState.value.accepted?.state?.encoded() { return state }
            _ = closeUndecodable(sentence)
            return nil
        }
    }
}
