import LatticeConcurrency
package import LatticeWire

/// What a channel does with a state that cannot be decoded: it keeps the newest one that could.
extension ChannelClient {
    /// The state that is being delivered was decoded: it is what is gone back to from now on.
    package func accept(_ news: inout ChannelNews) {
        decoded = (delivered, news.acknowledged)
        solveProblem(&news)
    }

    func solveProblem(_ news: inout ChannelNews) {
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
    package func refuse(_ failure: WireOutcome, _ sentence: String, _ news: inout ChannelNews) {
        guard let decoded else {
            let session = core.withLock(\.session)
            session?.append { $0.addData(Close(), on: number) }
            session?.flushSoon()
            let end = ChannelEnd(code: .undecodable, reason: sentence)
            close(end, interruption: .disconnected)
            return news.add(.closed(end))
        }
        let running = core.withLock { core in
            core.state.refuseState(keeping: decoded.state, after: decoded.acknowledged)
        }
        for index in news.endings.indices where news.endings[index].event > decoded.acknowledged {
            if case .finished = news.endings[index].outcome { news.endings[index].outcome = failure }
        }
        news.endings += running.map { .init(ticket: $0, outcome: failure) }
        hasProblem = true
        news.add(.problem(sentence))
    }
}
