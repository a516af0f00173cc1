import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport
import Logging

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// What a supervisor does about a worker that does not answer: it tells a turn that takes long from an event loop that
/// stands still, says so, and ends a worker whose turn takes too long.
///
/// On the event loop.
extension WorkerSupervisor {
    func unanswered(_ session: Session, for silence: Duration) {
        let found = core.withLock { core -> (HostStatus.Serving, TurnRecord?, isWatched: Bool)? in
            guard core.life.session === session, let serving = core.state.serving else { return nil }
            let turns = core.life.worker?.turns
            defer {
                core.life.isLate = true
                core.life.isWatched = true
                core.life.standstill = Standstill(at: turns?.number ?? 0, since: .now - silence)
            }
            return (serving, turns, core.life.isWatched)
        }
        guard let (serving, turns, isWatched) = found else { return }
        let turn = turns?.turn
        channels.report(.unresponsive(.init(serving, silentFor: silence, in: turn)))
        if !isWatched, turns != nil { look(session) }
    }

    func answeredAgain(_ session: Session) {
        let serving = core.withLock { core -> HostStatus.Serving? in
            guard core.life.session === session else { return nil }
            core.life.isLate = false
            return core.serving
        }
        if let serving { channels.report(.serving(serving)) }
    }

    func hasProblem(_ problem: String?, _ session: Session) {
        let serving = core.withLock { core -> HostStatus.Serving? in
            guard core.life.session === session, problem != core.life.problem else { return nil }
            core.life.problem = problem
            return core.life.isLate ? nil : core.serving
        }
        guard let serving else { return }
        let news = problem.map { "has a problem: \($0)" } ?? "has its problem no more"
        configuration.logger.warning("worker \(serving.processID) \(news)")
        channels.report(.serving(serving))
    }

    /// A turn has a limit of its own, and a worker that handles one event after the other works.
    func excusesSilence(_ session: Session) -> Bool {
        let found = core.withLock { core -> (turns: TurnRecord, idle: Duration)? in
            guard core.life.session === session, let turns = core.life.worker?.turns else { return nil }
            return (turns, core.life.standstill.look(at: turns.number, now: .now))
        }
        guard let found else { return false }
        guard configuration.limits.turn != nil, let turn = found.turns.turn else {
            return found.idle < configuration.heartbeatLimit
        }
        if configuration.limits.nextLook(in: turn) == nil { endTurn(turn, session) }
        return true
    }

    /// Looks at the turn again and again, as long as the worker does not answer.
    private func look(_ session: Session) {
        let turns = core.withLock { core -> TurnRecord? in
            guard core.life.session === session else { return nil }
            core.life.isWatched = core.life.isLate
            guard core.life.isLate, let turns = core.life.worker?.turns else { return nil }
            _ = core.life.standstill.look(at: turns.number, now: .now)
            return turns
        }
        guard let turns else { return }
        let turn = turns.turn
        guard let delay = configuration.limits.nextLook(in: turn) else { return endTurn(turn, session) }
        channels.eventLoop.after(milliseconds: max(delay.milliseconds, 1)) { [weak self, weak session] in
            if let session { self?.look(session) }
        }
    }

    /// Ends the worker, whose turn takes too long.
    private func endTurn(_ turn: TurnRecord.Turn?, _ session: Session) {
        let worker = core.withLock { core -> StartedWorker? in
            guard core.life.session === session, core.state.overran() else { return nil }
            return core.life.worker
        }
        guard let worker else { return }
        worker.signal(SIGKILL)
        let elapsed = turn.map { "\($0.elapsed)" } ?? "too long"
        configuration.logger.warning("worker \(worker.processID) is in a turn for \(elapsed), and is ended")
    }
}

extension HostStatus.Unresponsive {
    fileprivate init(_ serving: HostStatus.Serving, silentFor silence: Duration, in turn: TurnRecord.Turn?) {
        self.init(
            incarnation: serving.incarnation,
            processID: serving.processID,
            reason: turn.map { "a turn takes long, so far \($0.elapsed)" }
                ?? "its event loop has not answered for \(silence)"
        )
    }
}

extension Blame {
    /// - Parameters:
    ///   - cause: How a worker has ended.
    ///   - turn: The turn in which it was then, if it was in one.
    init(_ cause: Interruption.Cause, in turn: TurnRecord.Turn?) {
        switch (cause, turn?.subject) {
        // Memory is looked at from time to time, and what has used it may be something else than what runs then.
        case (.limit, _) where cause != .turn: self = .anything
        case (_, .event(let number, let channel)?): self = .event(number, channel: channel)
        case (_, .effect?): self = .effects
        case (_, nil): self = .anything
        }
    }
}
