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

/// What a supervisor does about a worker that does not answer: it tells a turn that takes long, and a crash whose
/// report is being written, from an event loop that stands still, says so, and ends a worker that takes too long for
/// either.
///
/// On the event loop.
extension WorkerSupervisor {
    func unanswered(_ session: Session, for silence: Duration) {
        let wasWatched = core.withLock { core -> Bool? in
            guard core.life.session === session, core.state.serving != nil else { return nil }
            let since = ContinuousClock.now - silence
            core.life.silentSince = since
            core.life.standstill = StallDetector(at: core.life.worker?.turns?.number ?? 0, since: since)
            defer { core.life.isWatched = true }
            return core.life.isWatched
        }
        switch wasWatched {
        case false?: watch(session)
        case true?: _ = look(session)
        case nil: break
        }
    }

    func answeredAgain(_ session: Session) {
        let serving = core.withLock { core -> HostStatus.Serving? in
            guard core.life.session === session else { return nil }
            core.life.silentSince = nil
            return core.serving
        }
        if let serving { channels.report(.serving(serving)) }
    }

    func hasProblem(_ problem: String?, _ session: Session) {
        let serving = core.withLock { core -> HostStatus.Serving? in
            guard core.life.session === session, problem != core.life.problem else { return nil }
            core.life.problem = problem
            return core.life.silentSince == nil ? core.serving : nil
        }
        guard let serving else { return }
        let news = problem.map { "has a problem: \($0)" } ?? "has its problem no more"
        configuration.logger.warning("worker \(serving.processID) \(news)")
        channels.report(.serving(serving))
    }

    /// A turn and a crash have limits of their own, and a worker that handles one event after the other works.
    func excusesSilence(_ session: Session) -> Bool {
        let found = core.withLock { core -> (turns: TurnRecord, idle: Duration)? in
            guard core.life.session === session, let turns = core.life.worker?.turns else { return nil }
            return (turns, core.life.standstill.look(at: turns.number, now: .now))
        }
        guard let found else { return false }
        if let crash = found.turns.crash {
            if configuration.nextLook(at: crash) == nil { endCrash(crash, session) }
            return true
        }
        guard configuration.limits.turn != nil, let turn = found.turns.turn else {
            return found.idle < configuration.heartbeatTimeout
        }
        if configuration.limits.nextLook(in: turn) == nil { endTurn(turn, session) }
        return true
    }

    /// Looks at the worker again and again, as long as it does not answer.
    private func watch(_ session: Session) {
        guard let delay = look(session) else { return }
        channels.eventLoop.after(milliseconds: max(delay.milliseconds, 1)) { [weak self, weak session] in
            if let session { self?.watch(session) }
        }
    }

    /// Says how long the worker has not answered and why, or ends it for that.
    ///
    /// - Returns: When to look again; nil: there is nothing to look at any more.
    private func look(_ session: Session) -> Duration? {
        let found = core.withLock { core -> (HostStatus.Serving?, since: ContinuousClock.Instant, TurnRecord?)? in
            guard core.life.session === session else { return nil }
            guard let since = core.life.silentSince, core.state.hasSession else {
                core.life.isWatched = false
                return nil
            }
            let turns = core.life.worker?.turns
            if let turns { _ = core.life.standstill.look(at: turns.number, now: .now) }
            return (core.state.serving, since, turns)
        }
        guard let (serving, since, turns) = found else { return nil }
        let (crash, turn) = (turns?.crash, turns?.turn)
        let rest: Duration
        if let crash {
            guard let next = configuration.nextLook(at: crash) else {
                endCrash(crash, session)
                return nil
            }
            rest = next
        } else {
            guard let next = configuration.limits.nextLook(in: turn) else {
                endTurn(turn, session)
                return nil
            }
            rest = next
        }
        if let serving {
            channels.report(.unresponsive(.init(serving, silentFor: since.duration(to: .now), in: turn, crash)))
        }
        return min(rest, Self.longestLook)
    }

    /// How often is said for how long a worker has not answered.
    private static var longestLook: Duration { .seconds(1) }

    /// Ends the worker, whose turn takes too long.
    private func endTurn(_ turn: TurnRecord.Turn?, _ session: Session) {
        let elapsed = turn.map { "\($0.elapsed.inTenths)" } ?? "too long"
        end(session, for: .turn, "is in a turn for \(elapsed), and is ended")
    }

    /// Ends the worker as soon as a call of one of its actors has had no answer for too long.
    func watchCalls(over session: Session) {
        guard let limit = configuration.limits.call else { return }
        node.watchCalls(over: session, limit: limit) { [weak self, weak session] in
            guard let self, let session else { return }
            guard !isCrashing(session) else { return watchCallsLater(over: session, limit) }
            end(session, for: .call, "has not answered a call of an actor for \(limit), and is ended")
        }
    }

    /// The report of a crash has a limit of its own, and behind it no call is answered. A process that goes on after
    /// all is looked at again, as if its calls had been sent then.
    private func watchCallsLater(over session: Session, _ limit: Duration) {
        let delay = min(max(limit, .milliseconds(1)), Self.longestLook)
        channels.eventLoop.after(milliseconds: delay.milliseconds) { [weak self, weak session] in
            guard let self, let session else { return }
            if isCrashing(session) { watchCallsLater(over: session, limit) } else { watchCalls(over: session) }
        }
    }

    /// Whether the worker writes the report of a crash; no more once the session is over.
    private func isCrashing(_ session: Session) -> Bool {
        core.withLock { core in
            core.life.session === session && core.state.hasSession && core.life.worker?.turns?.crash != nil
        }
    }

    private func end(_ session: Session, for cause: Interruption.Cause, _ news: String) {
        let worker = core.withLock { core -> StartedWorker? in
            guard core.life.session === session, core.state.overran(cause) else { return nil }
            return core.life.worker
        }
        guard let worker else { return }
        worker.signal(SIGKILL)
        configuration.logger.warning("worker \(worker.processID) \(news)")
    }

    /// Ends the worker, the report of whose crash takes too long.
    private func endCrash(_ crash: TurnRecord.Crash, _ session: Session) {
        let worker = core.withLock { core -> StartedWorker? in
            guard core.life.session === session, core.state.crashed(by: crash.signal) else { return nil }
            return core.life.worker
        }
        guard let worker else { return }
        worker.signal(SIGKILL)
        let cause = Interruption.Cause.signal(crash.signal)
        configuration.logger.warning(
            """
            worker \(worker.processID) crashed (\(cause)), and is ended before the report of that is complete, which may \
            take \(configuration.backtraceTimeout); raise backtraceTimeout, or choose shorter workerBacktraces
            """
        )
    }
}

extension HostStatus.Unresponsive {
    fileprivate init(
        _ serving: HostStatus.Serving,
        silentFor silence: Duration,
        in turn: TurnRecord.Turn?,
        _ crash: TurnRecord.Crash?
    ) {
        let reason =
            if let crash {
                "it crashed (\(Interruption.Cause.signal(crash.signal))) \(crash.elapsed.inTenths) ago, and the report of"
                    + " that is being written"
            } else if let turn {
                "a turn takes long, so far \(turn.elapsed.inTenths)"
            } else {
                "its event loop has not answered for \(silence.inTenths)"
            }
        self.init(incarnation: serving.incarnation, processID: serving.processID, reason: reason)
    }
}

extension Duration {
    /// The same in tenths of a second, rounded down, as people read it.
    fileprivate var inTenths: Duration { .milliseconds(milliseconds / 100 * 100) }
}

extension CoordinatorConfiguration {
    /// When to look again at a worker that crashes; nil: the report of that takes too long.
    func nextLook(at crash: TurnRecord.Crash) -> Duration? {
        let rest = backtraceTimeout - crash.elapsed
        return rest > .zero ? max(rest, .milliseconds(1)) : nil
    }
}

extension Blame {
    /// - Parameters:
    ///   - cause: How a worker has ended.
    ///   - turn: The turn in which it was then, if it was in one.
    init(_ cause: Interruption.Cause, in turn: TurnRecord.Turn?) {
        switch (cause, turn?.subject) {
        // What a call does is no event's doing.
        case (.call, _): self = .nobody
        // Memory is looked at from time to time, and what has used it may be something else than what runs then.
        case (.limit, _) where cause != .turn: self = .anything
        case (_, .event(let number, let channel)?): self = .event(number, channel: channel)
        case (_, .effect?): self = .effects
        case (_, nil): self = .anything
        }
    }
}
