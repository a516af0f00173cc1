import LatticeConcurrency
import LatticeCore
import LatticeWire

/// What a channel does with a state that cannot be decoded: it keeps the newest one that could.
extension ChannelLink {
    /// The state that is being delivered was decoded: it is what is gone back to from now on.
    func accept(_ news: inout ChannelNews) {
        decoded = (delivered, news.acknowledged)
        solveProblem(&news)
    }

    func solveProblem(_ news: inout ChannelNews) {
        guard hasProblem else { return }
        hasProblem = false
        news.problem = .solved
    }

    /// The state that is being delivered cannot be decoded: the one before it stays, for who serves the channel next too,
    /// and the events that were acknowledged since have failed. Without one before it the channel is closed.
    func refuse(_ error: any Error, _ news: inout ChannelNews) {
        let failure = EffectFailure.stateNotDecodable(of: subject.feature, error)
        guard let decoded else {
            let session = core.withLock(\.session)
            session?.append { $0.addData(Close(), on: number) }
            session?.flushSoon()
            let rejection = EventRejection.undecodable.with(reason: failure.message)
            close(rejection, interruption: .unknown)
            return news.reject(rejection)
        }
        let running = core.withLock { core in
            core.opener.refuseState(keeping: decoded.state, after: decoded.acknowledged)
        }
        for index in news.endings.indices where news.endings[index].event > decoded.acknowledged {
            if case .finished = news.endings[index].outcome { news.endings[index].outcome = .failed(failure) }
        }
        news.endings += running.map { .init(ticket: $0, outcome: .failed(failure)) }
        hasProblem = true
        news.problem = .exists(failure.message)
    }
}
