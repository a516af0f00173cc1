import LatticeConcurrency
import LatticeTransport
package import LatticeWire

/// What a channel does with a state that is of no use: it keeps the newest one that was.
extension ChannelClient {
    /// What is being delivered of the state was decoded: that is what is gone back to from now on.
    ///
    /// - Parameter encode: Encodes the state as it is now, on the event loop, for who serves the channel next; nil: it
    ///   is kept as it came.
    package func accept(_ news: inout ChannelUpdate, encodedBy encode: (@Sendable () throws -> [UInt8])? = nil) {
        if subject.restoresState || accepted == nil {
            let state = subject.restoresState ? keptState(encodedBy: encode) : nil
            accepted = Accepted(state: state, revision: deliveredRevision, acknowledged: news.acknowledged)
        } else {
            accepted?.revision = deliveredRevision
            accepted?.acknowledged = news.acknowledged
        }
        solveProblem(&news)
    }

    private func keptState(encodedBy encode: (@Sendable () throws -> [UInt8])?) -> KeptState? {
        if let encode {
            let state = KeptState(encodedBy: encode)
            // While it was decoded a newer one may have come, which stays.
            core.withLock { if $0.state.revision == deliveredRevision { $0.state.accept(state) } }
            return state
        }
        return delivered.map(KeptState.init) ?? core.withLock(\.state.kept)
    }

    func solveProblem(_ news: inout ChannelUpdate) {
        guard hasProblem else { return }
        hasProblem = false
        news.add(.problem(nil))
    }

    /// The state that is being delivered cannot be decoded: the one before it stays, for who serves the channel next
    /// too, and the events that were acknowledged since have failed. Without one before it the channel is closed.
    ///
    /// - Parameters:
    ///   - failure: How those events end.
    ///   - sentence: The same for people.
    package func refuse(_ failure: WireOutcome, _ sentence: String, _ news: inout ChannelUpdate) {
        guard let accepted else {
            news.add(.closed(closeUndecodable(sentence)))
            return
        }
        let running = core.withLock { core in
            core.state.refuseState(keeping: accepted.state, after: accepted.acknowledged)
        }
        for index in news.endings.indices where news.endings[index].event > accepted.acknowledged {
            if case .finished = news.endings[index].outcome { news.endings[index].outcome = failure }
        }
        news.endings += running.map { .init(ticket: $0, outcome: failure) }
        hasProblem = true
        news.add(.problem(sentence))
    }

    private func closeUndecodable(_ sentence: String) -> ChannelEnd {
        let session = core.withLock(\.session)
        session?.append { $0.addData(Close(), on: number) }
        session?.flushSoon()
        let end = ChannelEnd(code: .undecodable, reason: sentence)
        close(end, interruption: .disconnected)
        return end
    }

    /// The changes that are being delivered cannot be made to the state: the other side is asked for the whole state,
    /// and how events ended since the last state that was of use is told when that has come.
    package func resync(_ news: inout ChannelUpdate) {
        // Nothing comes any more.
        guard news.end == nil else { return }
        let revision = accepted?.revision ?? 0
        let session = core.withLock { core in core.state.resync(from: revision) ? core.session : nil }
        withheld = (withheld ?? []) + news.endings
        news.endings = []
        news.acknowledged = accepted?.acknowledged ?? 0
        session?.sendControl(ResyncMessage(revision: revision), on: number)
    }

    /// Has the state encoded that whoever serves the channel next starts from, on another thread. While there is no
    /// session nothing changes it.
    ///
    /// - Returns: Whether it is there.
    func prepareState() -> Bool {
        guard prepared == nil, subject.restoresState, let kept = core.withLock(\.state.kept), !kept.isReady else {
            return true
        }
        isPreparing = true
        CodingThreads.run { [self] in
            let prepared = kept.ready()
            eventLoop.execute { [self] in
                isPreparing = false
                self.prepared = prepared
                onReady.take()?()
            }
        }
        return false
    }

    /// The state that whoever serves the channel next starts from; nil where nobody does, and before the first.
    func restoredState() -> [UInt8]? {
        guard subject.restoresState, let kept = prepared.take() ?? core.withLock(\.state.kept) else { return nil }
        do {
            return try kept.encoded()
        } catch {
            let sentence = "the state of \"\(subject.feature)\" that a new worker starts from cannot be had: \(error)"
            var news = ChannelUpdate()
            news.endings = withheld.take() ?? []
            refuse(.failed(type: "\(type(of: error))", message: sentence), sentence, &news)
            gather { $0.merge(news) }
            if let state = try? accepted?.state?.encoded() { return state }
            _ = closeUndecodable(sentence)
            return nil
        }
    }
}
