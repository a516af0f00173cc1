import LatticeCore

/// Where a supervised worker stands, what counts against it, and what is to be done next.
///
/// Each input is a function that returns what to do. Time and chance come in as arguments. An input that does not fit
/// the state comes late, or twice: it changes nothing and asks for nothing.
///
/// All inputs are in this one file, since each of them is read beside the others and the phases.
struct SupervisorState: Sendable {
    enum Phase: Sendable, Equatable {
        /// No worker was started yet, or a reset forgot those that were.
        case idle
        /// A worker is being started, or runs and has not said hello.
        case booting(Life)
        /// The worker said hello at this time. It has progressed once a state of this life was acknowledged.
        case serving(Life, since: ContinuousClock.Instant, hasProgressed: Bool)
        /// The supervisor stops: the worker finishes what is running, if it was serving, and leaves.
        case draining(Life)
        /// The same for the sake of the group with this name, which starts the next worker when it is time.
        case leaving(Life, group: String)
        /// The worker ended, or there was no room to start it; the next one is started after a wait.
        case backingOff(HostStatus.Restart)
        /// The worker ended, and none is started before a reset or a probe.
        case givenUp(HostFailure)
        /// The supervisor was stopped, and no worker is left.
        case stopped
    }

    /// One life of the worker, from before its process is there until after it is gone.
    struct Life: Sendable, Equatable {
        let incarnation: UInt64
        /// 0 until the process is there.
        var processID: Int32 = 0
        var session = SessionFate.going
    }

    /// How the session of a life stands, and what its end says of the life's.
    enum SessionFate: Sendable, Equatable {
        case going
        /// It ended, and how the process ends says more.
        case ended
        /// The worker did not answer in time.
        case silent
        /// The worker was not taken in, for this reason.
        case refused(String)
        /// The worker took longer for something than it may, and was ended for this cause.
        case overran(Interruption.Cause)
        /// The worker crashed by this signal, and what ended it in the end came later.
        case crashed(Int32)
    }

    /// What to do when a life is over.
    enum Next: Sendable, Equatable {
        /// Start the next worker after the wait.
        case restart(HostStatus.Restart)
        /// Take nothing until a reset, or until a probe after that time serves. The end is no error where the policy
        /// allows it.
        case giveUp(HostFailure, after: Interruption.Cause, isError: Bool, probe: Duration?)
        /// Take nothing any more.
        case stop
    }

    /// What to do when the supervisor is to stop.
    enum Stop: Sendable, Equatable {
        /// Let the worker finish what is running, then have it leave.
        case drain
        /// Have the worker leave, which serves nobody.
        case leave
        /// Have the worker leave when the limit has passed: it finishes what is running, for its group's sake.
        case hasten
        /// Wait for the stop that is under way.
        case join
        /// No worker is there: wake who waits for a reset.
        case wake
    }

    /// How many past ends a failure lists.
    static let longestHistory = 16

    private(set) var phase = Phase.idle
    /// The number of the newest life.
    private(set) var incarnation: UInt64 = 0
    private let policy: RestartPolicy
    private var budget: RestartBudget
    /// Past ends, oldest first.
    private var history: [String] = []
    /// Whether the worker is tried again, and takes nothing before it serves.
    private(set) var isProbing = false
    /// Whether the worker was given up because it ended as its kind allows.
    private(set) var isDone = false

    /// - Parameters:
    ///   - silence: How long a worker has been silent when it is found to hang.
    ///   - turn: How long one was in a turn when that is found to take too long.
    init(policy: RestartPolicy, silence: Duration = .zero, turn: Duration = .zero) {
        self.policy = policy
        budget = RestartBudget(policy: policy, silence: silence, turn: turn)
    }

    // MARK: A life begins

    /// The worker is started now, unless the supervisor was stopped.
    ///
    /// - Returns: The number of its life; nil: there is nothing to start.
    mutating func start() -> UInt64? {
        switch phase {
        case .idle, .backingOff:
            incarnation += 1
            phase = .booting(Life(incarnation: incarnation))
            return incarnation
        case .booting, .serving, .draining, .leaving, .givenUp, .stopped: return nil
        }
    }

    /// The process of the worker is there.
    mutating func launched(processID: Int32) {
        changeLife { $0.processID = processID }
    }

    /// There was no room for a start: no descriptor, no process, no memory. It counts against nobody, and is tried
    /// again until it succeeds. The next attempt has the same number: this was no life.
    ///
    /// - Parameter chance: A number from 0 to 1.
    /// - Returns: The wait; nil: the supervisor stops.
    mutating func lacked(_ reason: String, chance: Double) -> HostStatus.Restart? {
        switch phase {
        case .booting: incarnation -= 1
        case .leaving(_, let group):
            incarnation -= 1
            let restart = HostStatus.Restart(in: group)
            phase = .backingOff(restart)
            return restart
        case .draining:
            phase = .stopped
            return nil
        case .idle, .serving, .backingOff, .givenUp, .stopped: return nil
        }
        let restart = budget.lacked(reason, chance: chance)
        phase = .backingOff(restart)
        return restart
    }

    /// The worker said hello and was taken in.
    ///
    /// - Returns: Who serves from now on; nil: the supervisor stops.
    mutating func served(at now: ContinuousClock.Instant) -> HostStatus.Serving? {
        guard case .booting(let life) = phase else { return nil }
        budget.served()
        phase = .serving(life, since: now, hasProgressed: false)
        isProbing = false
        return HostStatus.Serving(incarnation: life.incarnation, processID: life.processID)
    }

    /// A state of this life was acknowledged.
    mutating func progressed() {
        guard case .serving(let life, let since, false) = phase else { return }
        phase = .serving(life, since: since, hasProgressed: true)
    }

    // MARK: A life ends

    /// The session of the present life ended; its process is to end soon.
    mutating func sessionEnded(_ fate: SessionFate) {
        changeLife { if !$0.session.isFinal { $0.session = fate } }
    }

    /// The worker crashes, or has crashed.
    ///
    /// - Returns: Whether that was not known of this life, and explains it better than what was.
    mutating func crashed(by signal: Int32) -> Bool {
        var isNews = false
        changeLife { life in
            switch life.session {
            // The program of one that was refused ends as it likes, by a trap too.
            case .refused, .crashed: break
            // Who was ended for its time notes no crash any more: this one is older.
            case .going, .ended, .silent, .overran:
                life.session = .crashed(signal)
                isNews = true
            }
        }
        return isNews
    }

    /// The worker takes too long for something: a turn, if nothing else is said.
    ///
    /// - Returns: Whether it is to be ended for that: it lives, and was not yet.
    mutating func overran(_ cause: Interruption.Cause = .turn) -> Bool {
        var isNews = false
        changeLife { life in
            isNews = life.session == .going
            if isNews { life.session = .overran(cause) }
        }
        return isNews
    }

    /// Who serves, unless the worker was asked to leave or its session is over.
    var serving: HostStatus.Serving? {
        guard case .serving(let life, _, _) = phase, life.session == .going else { return nil }
        return HostStatus.Serving(incarnation: life.incarnation, processID: life.processID)
    }

    /// Whether the present life said hello and was taken in.
    var hasServed: Bool { if case .serving = phase { true } else { false } }

    /// Whether there is a worker whose session is not over.
    var hasSession: Bool {
        switch phase {
        case .booting(let life), .serving(let life, _, _), .draining(let life), .leaving(let life, _):
            life.session == .going
        case .idle, .backingOff, .givenUp, .stopped: false
        }
    }

    /// Whether there is a worker, or is to be one.
    var isGoing: Bool {
        switch phase {
        case .idle, .booting, .serving, .draining, .leaving, .backingOff: true
        case .givenUp, .stopped: false
        }
    }

    /// Whether the worker was asked to leave.
    var isAskedToLeave: Bool {
        switch phase {
        case .draining, .leaving: true
        case .idle, .booting, .serving, .backingOff, .givenUp, .stopped: false
        }
    }

    /// Whether it was asked to for its group's sake.
    var isLeaving: Bool { if case .leaving = phase { true } else { false } }

    /// What the death of the present life was, which the end of the session may explain better than the process.
    ///
    /// - Parameter cause: How the process ended.
    /// - Returns: nil if there is no life.
    func death(_ cause: Interruption.Cause) -> Interruption? {
        switch phase {
        case .booting(let life), .serving(let life, _, _), .draining(let life):
            Interruption(cause: life.cause(of: cause), incarnation: life.incarnation)
        case .leaving(let life, let group):
            Interruption(cause: life.cause(of: cause, in: group), incarnation: life.incarnation)
        case .idle, .backingOff, .givenUp, .stopped: nil
        }
    }

    /// The worker's process is gone, and all that it wrote is read.
    ///
    /// - Parameters:
    ///   - cause: How the process ended.
    ///   - excuse: Why it does not count against the worker.
    ///   - reporting: How long before its end the worker had crashed.
    ///   - chance: A number from 0 to 1.
    /// - Returns: What the death was, and what to do.
    mutating func ended(
        _ cause: Interruption.Cause,
        excuse: RestartBudget.Excuse = .none,
        reporting: Duration = .zero,
        at now: ContinuousClock.Instant,
        chance: Double
    ) -> (death: Interruption, next: Next)? {
        guard let death = death(cause) else { return nil }
        let next: Next
        switch phase {
        case .draining: next = .stop
        case .leaving(_, let group): next = .restart(HostStatus.Restart(in: group))
        case .booting(let life):
            next = judge(life, death.cause) { $0.failedToBoot(death.cause, chance: chance) }
        case .serving(let life, let since, let hasProgressed):
            let end = RestartBudget.Death(
                life: life.incarnation,
                cause: death.cause,
                since: since,
                time: now,
                hasProgressed: hasProgressed,
                excuse: excuse,
                reporting: reporting
            )
            next = judge(life, death.cause) { $0.died(end, chance: chance) }
        case .idle, .backingOff, .givenUp, .stopped: return nil
        }
        switch next {
        case .restart(let restart): phase = .backingOff(restart)
        case .giveUp(let failure, _, _, _): phase = .givenUp(failure)
        case .stop: phase = .stopped
        }
        return (death, next)
    }

    private mutating func judge(
        _ life: Life,
        _ cause: Interruption.Cause,
        by verdict: (inout RestartBudget) -> RestartBudget.Verdict
    ) -> Next {
        if case .refused(let reason) = life.session {
            // Neither would the next one be taken in, which is the same program.
            return giveUp("the worker was refused: \(reason)", cause, .protocol)
        }
        isDone = policy.kind == .temporary || (policy.kind == .transient && cause == .exit(code: 0))
        history.append(cause.withResult)
        if history.count > Self.longestHistory { history.removeFirst() }
        switch (policy.kind, cause) {
        case (.temporary, _): return giveUp("the worker ended: \(cause)", cause, cause.result)
        case (.transient, .exit(code: 0)):
            let failure = HostFailure(reason: "the worker ended: \(cause)", result: .success)
            return .giveUp(failure, after: cause, isError: false, probe: nil)
        default: break
        }
        switch verdict(&budget) {
        case .restart(let restart): return .restart(restart)
        case .giveUp(let reason): return giveUp(reason, cause, .startLimitHit, probe: policy.probeDelay)
        }
    }

    private func giveUp(
        _ reason: String,
        _ cause: Interruption.Cause,
        _ result: ServiceResult?,
        probe: Duration? = nil
    ) -> Next {
        let hope = probe.map { "; it is tried again in \($0)" } ?? ""
        let failure = HostFailure(reason: reason + hope, history: history, result: result)
        return .giveUp(failure, after: cause, isError: true, probe: probe)
    }

    // MARK: In a group

    /// A worker that waits for its next life gets none before it is revived: its group is given up, or is done.
    ///
    /// - Returns: Whether that is so.
    mutating func giveUp(_ failure: HostFailure) -> Bool {
        switch phase {
        case .idle, .backingOff: phase = .givenUp(failure)
        case .booting, .serving, .draining, .leaving, .givenUp, .stopped: return false
        }
        isProbing = false
        return true
    }

    /// The present life is to end in order, for the sake of the group with this name.
    ///
    /// - Returns: What to do; nil: nothing.
    mutating func leave(for group: String) -> Stop? {
        switch phase {
        case .booting(let life):
            phase = .leaving(life, group: group)
            return .leave
        case .serving(let life, _, _):
            phase = .leaving(life, group: group)
            return life.session == .going ? .drain : .leave
        case .idle, .draining, .leaving, .backingOff, .givenUp, .stopped: return nil
        }
    }

    /// The group of a worker that was given up is tried again: the worker begins anew, and events are not taken before
    /// it serves.
    ///
    /// - Returns: Whether it does.
    mutating func retry() -> Bool {
        guard reset() else { return false }
        isProbing = true
        return true
    }

    // MARK: Probes

    /// The worker was given up, and some time has passed: it is to be started once more. Events are not taken before it
    /// serves.
    ///
    /// - Returns: Whether it was.
    mutating func probe() -> Bool {
        guard case .givenUp = phase else { return false }
        phase = .idle
        isProbing = true
        budget.probe()
        return true
    }

    // MARK: By hand

    /// Forgets what counted against a worker that was given up, so that it can be started again.
    ///
    /// - Returns: Whether one was, and events are to be taken again.
    mutating func reset() -> Bool {
        if case .givenUp = phase { phase = .idle } else if !isProbing { return false }
        isProbing = false
        history = []
        budget.reset()
        return true
    }

    mutating func stop() -> Stop {
        isProbing = false
        switch phase {
        case .booting(let life):
            phase = .draining(life)
            return .leave
        case .serving(let life, _, _):
            phase = .draining(life)
            return life.session == .going ? .drain : .leave
        case .leaving(let life, _):
            phase = .draining(life)
            return .hasten
        case .draining: return .join
        case .idle, .backingOff, .givenUp, .stopped:
            phase = .stopped
            return .wake
        }
    }

    /// Changes what is known of the present life, if there is one.
    private mutating func changeLife(_ change: (inout Life) -> Void) {
        switch phase {
        case .booting(var life):
            change(&life)
            phase = .booting(life)
        case .serving(var life, let since, let hasProgressed):
            change(&life)
            phase = .serving(life, since: since, hasProgressed: hasProgressed)
        case .draining(var life):
            change(&life)
            phase = .draining(life)
        case .leaving(var life, let group):
            change(&life)
            phase = .leaving(life, group: group)
        case .idle, .backingOff, .givenUp, .stopped: break
        }
    }
}

extension SupervisorState.Life {
    /// What the end of a life was, which its session may explain better than its process.
    fileprivate func cause(of cause: Interruption.Cause) -> Interruption.Cause {
        switch session {
        case .silent: .hang
        case .overran(let cause): cause
        case .crashed(let signal): cause.isNewerThanCrash ? cause : .signal(signal)
        case .going, .ended, .refused: cause
        }
    }

    /// The same of one that was ordered by a group: what the worker did itself says more.
    fileprivate func cause(of cause: Interruption.Cause, in group: String) -> Interruption.Cause {
        switch self.cause(of: cause) {
        case .statusLost: .group(group)
        case let cause: cause.isWorkersOwn ? cause : .group(group)
        }
    }
}

extension SupervisorState.SessionFate {
    /// Whether nothing that the end of the session says later explains the end better.
    fileprivate var isFinal: Bool {
        switch self {
        case .refused, .overran, .crashed: true
        case .going, .ended, .silent: false
        }
    }
}

extension Interruption.Cause {
    /// Whether it is what the process did itself, after it had noted a crash.
    fileprivate var isNewerThanCrash: Bool {
        switch self {
        case .exit: true
        case .statusLost, .memory: false
        default: isWorkersOwn
        }
    }
}

extension HostStatus.Restart {
    /// Of a worker whose group starts it again when it is time.
    init(in group: String) {
        self.init(attempt: 1, delay: .zero, cause: .group(group))
    }
}
