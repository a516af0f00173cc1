import LatticeCalls
import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeProcess
import LatticeSession
import LatticeTransport

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The handling of a worker that does not answer heartbeats.
///
/// The supervisor distinguishes three cases: a turn that takes long, a crash whose report is being written, and an
/// event loop that is stuck. It reports the case, and ends a worker that exceeds the limit for its case. All functions
/// run on the event loop.
extension WorkerSupervisor {
    func unanswered(_ session: Session, for silence: Duration) {
        let wasWatched = core.withLock { core -> Bool? in
            guard core.current.session === session, core.state.serving != nil else { return nil }
            let since = ContinuousClock.now - silence
            core.current.silentSince = since
            core.current.stallDetector = StallDetector(at: core.current.worker?.turns?.number ?? 0, since: since)
            defer { core.current.isWatched = true }
            return core.current.isWatched
        }
        switch wasWatched {
        case false?: watch(session)
        case true?: _ = check(session)
        case nil: break
        }
    }

    func answeredAgain(_ session: Session) {
        let serving = core.withLock { core -> HostStatus.Serving? in
            guard core.current.session === session else { return nil }
            core.current.silentSince = nil
            return core.serving
        }
        guard let serving else { return }
        events.emit(.workerResponsive, .workerResponsive(worker(serving)))
        channels.report(.serving(serving))
    }

    func hasProblem(_ problem: String?, _ session: Session) {
        let serving = core.withLock { core -> HostStatus.Serving? in
            guard core.current.session === session, problem != core.current.problem else { return nil }
            core.current.problem = problem
            return core.current.silentSince == nil ? core.serving : nil
        }
        guard let serving else { return }
        events.emit(.workerProblem, .workerProblem(worker(serving), problem: problem))
        channels.report(.serving(serving))
    }

    /// Returns whether a missing answer has another explanation. A turn and a crash report have limits of their own,
    /// and a worker that handles one event after another is making progress.
    func excusesSilence(_ session: Session) -> Bool {
        let found = core.withLock { core -> (turns: TurnRecord, idle: Duration)? in
            guard core.current.session === session, let turns = core.current.worker?.turns else { return nil }
            return (turns, core.current.stallDetector.look(at: turns.number, now: .now))
        }
        guard let found else { return false }
        if let crash = found.turns.crash {
            if configuration.nextCheck(at: crash) == nil { endCrash(crash, session) }
            return true
        }
        guard configuration.limits.turnTimeout != nil, let turn = found.turns.turn else {
            return found.idle < configuration.heartbeatTimeout
        }
        if configuration.limits.nextCheck(in: turn) == nil { endTurn(turn, session) }
        return true
    }

    /// Checks the worker repeatedly while it does not answer.
    private func watch(_ session: Session) {
        guard let delay = check(session) else { return }
        channels.eventLoop.after(milliseconds: max(delay.milliseconds, 1)) { [weak self, weak session] in
            if let session { self?.watch(session) }
        }
    }

    /// Reports how long the worker has not answered and why, or ends it if it exceeds a limit.
    ///
    /// - Returns: The delay before the next check, or nil if there is nothing left to check.
    private func check(_ session: Session) -> Duration? {
        let found = core.withLock { core -> (HostStatus.Serving?, since: ContinuousClock.Instant, TurnRecord?)? in
            guard core.current.session === session else { return nil }
            guard let since = core.current.silentSince, core.state.hasSession else {
                core.current.isWatched = false
                return nil
            }
            let turns = core.current.worker?.turns
            if let turns { _ = core.current.stallDetector.look(at: turns.number, now: .now) }
            return (core.state.serving, since, turns)
        }
        guard let (serving, since, turns) = found else { return nil }
        let (crash, turn) = (turns?.crash, turns?.turn)
        let rest: Duration
        if let crash {
            guard let next = configuration.nextCheck(at: crash) else {
                endCrash(crash, session)
                return nil
            }
            rest = next
        } else {
            guard let next = configuration.limits.nextCheck(in: turn) else {
                endTurn(turn, session)
                return nil
            }
            rest = next
        }
        if let serving {
            let status = HostStatus.Unresponsive(serving, silentFor: since.duration(to: .now), in: turn, crash)
            events.emit(.workerUnresponsive, .workerUnresponsive(worker(serving), reason: status.reason))
            channels.report(.unresponsive(status))
        }
        return min(rest, Self.maximumCheckInterval)
    }

    /// The maximum interval between two reports of how long a worker has not answered.
    private static var maximumCheckInterval: Duration { .seconds(1) }

    /// Ends a worker whose turn takes too long.
    private func endTurn(_ turn: TurnRecord.Turn?, _ session: Session) {
        end(session, for: .turn, .turn(turn?.elapsed.inTenths))
    }

    /// The limits that hold for a worker: those it was started with, and the present limit of its turns.
    func limits(of worker: StartedWorker?) -> WorkerLimits {
        let present = configuration.limits
        guard var limits = worker?.limits else { return present }
        limits.turnTimeout = present.turnTimeout
        return limits
    }

    /// Ends the worker as soon as a call of one of its actors has had no answer for longer than `callTimeout`.
    func watchCalls(over session: Session) {
        guard let timeout = limits(of: core.withLock(\.current.worker)).callTimeout else { return }
        node.watchCalls(over: session, timeout: timeout) { [weak self, weak session] in
            guard let self, let session else { return }
            guard !isCrashing(session) else { return watchCallsLater(over: session, timeout) }
            end(session, for: .call, .call(timeout: timeout))
        }
    }

    /// Checks the calls of a crashing worker later. A crash report has its own limit, and no call is answered while it
    /// is written. If the process continues after all, its calls are checked as if they had been sent at that time.
    private func watchCallsLater(over session: Session, _ timeout: Duration) {
        let delay = min(max(timeout, .milliseconds(1)), Self.maximumCheckInterval)
        channels.eventLoop.after(milliseconds: delay.milliseconds) { [weak self, weak session] in
            guard let self, let session else { return }
            if isCrashing(session) { watchCallsLater(over: session, timeout) } else { watchCalls(over: session) }
        }
    }

    /// Returns whether the worker is writing a crash report. False once its session is over.
    private func isCrashing(_ session: Session) -> Bool {
        core.withLock { core in
            core.current.session === session && core.state.hasSession && core.current.worker?.turns?.crash != nil
        }
    }

    /// Kills the worker of a session for a cause, unless it is already being ended.
    func end(_ session: Session, for cause: Interruption.Cause, _ reason: RuntimeEvent.KillReason) {
        kill(session, for: reason) { $0.overran(cause) }
    }

    /// Ends a worker that takes too long to write its crash report.
    private func endCrash(_ crash: TurnRecord.Crash, _ session: Session) {
        let reason = RuntimeEvent.KillReason.crashReport(signal: crash.signal, timeout: configuration.backtraceTimeout)
        kill(session, for: reason) { $0.crashed(by: crash.signal) }
    }

    /// Kills the worker of a session, unless it is already being ended.
    ///
    /// - Parameter note: Records the reason, and returns whether the worker is to be killed for it.
    private func kill(
        _ session: Session,
        for reason: RuntimeEvent.KillReason,
        _ note: (inout SupervisorState) -> Bool
    ) {
        let (started, incarnation) = core.withLock { core -> (StartedWorker?, UInt64) in
            guard core.current.session === session, note(&core.state) else { return (nil, 0) }
            return (core.current.worker, core.state.incarnation)
        }
        guard let started else { return }
        started.signal(SIGKILL)
        events.emit(.workerKilled, .workerKilled(worker(incarnation, started.processID), reason))
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
                "it crashed (\(Interruption.Cause.signal(crash.signal))) \(crash.elapsed.inTenths) ago and is writing"
                    + " its crash report"
            } else if let turn {
                "a turn has been running for \(turn.elapsed.inTenths)"
            } else {
                "its event loop has not answered for \(silence.inTenths)"
            }
        self.init(incarnation: serving.incarnation, processID: serving.processID, reason: reason)
    }
}

extension Duration {
    /// The duration in tenths of a second, rounded down, for messages.
    fileprivate var inTenths: Duration { .milliseconds(milliseconds / 100 * 100) }
}

extension CoordinatorConfiguration {
    /// The time that a worker which exceeds a limit gets until it is gone. A supervisor ends it at once, so one that is
    /// still there after this time is reported as unresponsive.
    static let overdueTime: Duration = .seconds(5)

    /// Returns whether a worker that does not answer has exceeded every limit by which its supervisor ends it, and is
    /// still there. Until then the coordinator works as it should.
    ///
    /// - Parameters:
    ///   - silence: The time since the first heartbeat that the worker has not answered.
    ///   - idle: The time since a turn of the worker began or ended.
    ///   - turn: The turn that is running, if there is one.
    ///   - crash: The crash whose report is being written, if there is one.
    func isOverdue(
        silence: Duration,
        idle: Duration,
        in turn: TurnRecord.Turn?,
        _ crash: TurnRecord.Crash?
    ) -> Bool {
        guard silence > heartbeatTimeout + Self.overdueTime else { return false }
        if let crash { return crash.elapsed > backtraceTimeout + Self.overdueTime }
        if let turn, let limit = limits.turnTimeout { return turn.elapsed > limit + Self.overdueTime }
        return idle > heartbeatTimeout + Self.overdueTime
    }

    /// Returns the delay before the next check of a crashing worker, or nil if its crash report takes too long.
    func nextCheck(at crash: TurnRecord.Crash) -> Duration? {
        let rest = backtraceTimeout - crash.elapsed
        return rest > .zero ? max(rest, .milliseconds(1)) : nil
    }
}

extension Blame {
    /// Creates the blame for the end of a worker.
    ///
    /// - Parameters:
    ///   - cause: How the worker ended.
    ///   - turn: The turn in which the worker was at that time, if it was in one.
    init(_ cause: Interruption.Cause, in turn: TurnRecord.Turn?) {
        switch (cause, turn?.subject) {
        // No event is responsible for what a call does.
        case (.call, _): self = .nobody
        // The worker ends itself for an effect, whatever turn runs at that moment.
        case (.effectTimeout, _): self = .effects
        // Memory is measured periodically, so the work that is running now may not be the work that used the memory.
        case (.limit, _) where cause != .turn: self = .anything
        case (_, .event(let number, let channel)?): self = .event(number, channel: channel)
        case (_, .effect?): self = .effects
        case (_, nil): self = .anything
        }
    }
}
