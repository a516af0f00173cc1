import LatticeCore

/// The state machine of a supervised worker: its phase, its restart budget, and the next step.
///
/// Each input is a function that returns what to do. The time and random numbers are arguments. An input that does not
/// fit the phase arrived late or twice. It has no effect and returns no order.
///
/// All inputs are in this file, because each of them is easier to understand next to the others and the phases.
struct SupervisorState: Sendable {
    enum Phase: Sendable, Equatable {
        /// No worker was started yet, or a reset cleared the record of the previous ones.
        case idle
        /// A worker is being started, or it runs and its handshake is not complete.
        case booting(Worker)
        /// The handshake completed at this time. `hasProgressed` is true after the first acknowledged state of this
        /// incarnation.
        case serving(Worker, since: ContinuousClock.Instant, hasProgressed: Bool)
        /// The supervisor stops. A worker that was serving finishes what is running, then leaves.
        case draining(Worker)
        /// The same as `draining`, but for a group or for a tool, which is the cause. The next worker starts
        /// afterwards.
        case leaving(Worker, cause: Interruption.Cause)
        /// The worker ended, or the system lacked resources to start it. The next one starts after a delay.
        case backingOff(HostStatus.Restart)
        /// The worker ended, and none is started before a reset or a probe.
        case givenUp(HostFailure)
        /// The supervisor was stopped, and no worker is left.
        case stopped
    }

    /// One incarnation of the worker, from before its process exists until the process is gone.
    struct Worker: Sendable, Equatable {
        let incarnation: UInt64
        /// The process ID, or 0 before the process exists.
        var processID: Int32 = 0
        var session = SessionPhase.open
    }

    /// The phase of an incarnation's session, and what its end says about the cause of the worker's end.
    enum SessionPhase: Sendable, Equatable {
        case open
        /// The session ended. The end of the process explains the cause better.
        case ended
        /// The worker did not answer in time.
        case silent
        /// The handshake refused the worker for this reason.
        case refused(String)
        /// The worker exceeded a time limit and was ended for this cause.
        case overran(Interruption.Cause)
        /// The worker crashed with this signal. Whatever ended the process happened after the crash.
        case crashed(Int32)
    }

    /// The next step after the end of an incarnation.
    enum Next: Sendable, Equatable {
        /// Start the next worker after the delay.
        case restart(HostStatus.Restart)
        /// Accept no events before a reset, or before a worker serves that is started as a probe after `probe`.
        /// `isError` is false where the policy allows this end.
        case giveUp(HostFailure, after: Interruption.Cause, isError: Bool, probe: Duration?)
        /// Accept no events any more.
        case stop
    }

    /// The step that stops the supervisor.
    enum Stop: Sendable, Equatable {
        /// Let the worker finish what is running, then end its session.
        case drain
        /// End the worker at once, because it does not serve.
        case leave
        /// End the worker after the drain timeout. It already finishes what is running, because its group ends it.
        case hasten
        /// Wait for the stop that is in progress.
        case join
        /// No worker runs. Wake the tasks that wait for a reset.
        case wake
    }

    /// The maximum number of earlier ends that a failure lists.
    static let maximumHistory = 16

    private(set) var phase = Phase.idle
    /// The number of the newest incarnation.
    private(set) var incarnation: UInt64 = 0
    private let policy: RestartPolicy
    private var budget: RestartBudget
    /// The earlier ends, oldest first.
    private var history: [String] = []
    /// Whether the worker runs as a probe and accepts no events before it serves.
    private(set) var isProbing = false
    /// Whether the worker was given up because it ended as its restart kind allows.
    private(set) var isDone = false

    /// - Parameters:
    ///   - heartbeatTimeout: How long a worker has been silent when it is considered hung.
    ///   - turnTimeout: How long a worker has been in a turn when that turn exceeds its limit.
    init(policy: RestartPolicy, heartbeatTimeout: Duration = .zero, turnTimeout: Duration = .zero) {
        self.policy = policy
        budget = RestartBudget(policy: policy, heartbeatTimeout: heartbeatTimeout, turnTimeout: turnTimeout)
    }

    /// Takes note of the present limit of a turn, which may change while the worker runs.
    mutating func limitsTurns(to timeout: Duration?) {
        budget.turnTimeout = timeout ?? .zero
    }

    // MARK: Start of an incarnation

    /// Begins an incarnation, unless the supervisor was stopped.
    ///
    /// - Returns: The number of the incarnation, or nil if no worker is to be started.
    mutating func start() -> UInt64? {
        switch phase {
        case .idle, .backingOff:
            incarnation += 1
            phase = .booting(Worker(incarnation: incarnation))
            return incarnation
        case .booting, .serving, .draining, .leaving, .givenUp, .stopped: return nil
        }
    }

    /// Records that the worker's process exists.
    mutating func launched(processID: Int32) {
        updateWorker { $0.processID = processID }
    }

    /// Handles a start that failed because the system lacked a resource: a descriptor, a process, or memory.
    ///
    /// Such a start does not count against the worker and is repeated until it succeeds. The next attempt gets the same
    /// incarnation number, because no worker ran.
    ///
    /// - Parameter chance: A random number from 0 to 1.
    /// - Returns: The delay before the next attempt, or nil if the supervisor stops.
    mutating func lacked(_ reason: String, chance: Double) -> HostStatus.Restart? {
        switch phase {
        case .booting: incarnation -= 1
        case .leaving(_, let cause):
            incarnation -= 1
            let restart = HostStatus.Restart(after: cause)
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

    /// Records that the handshake with the worker completed.
    ///
    /// - Returns: The serving worker, or nil if the supervisor stops.
    mutating func served(at now: ContinuousClock.Instant) -> HostStatus.Serving? {
        guard case .booting(let worker) = phase else { return nil }
        budget.served()
        phase = .serving(worker, since: now, hasProgressed: false)
        isProbing = false
        return HostStatus.Serving(incarnation: worker.incarnation, processID: worker.processID)
    }

    /// Records that a state of this incarnation was acknowledged.
    mutating func progressed() {
        guard case .serving(let worker, let since, false) = phase else { return }
        phase = .serving(worker, since: since, hasProgressed: true)
    }

    // MARK: End of an incarnation

    /// Records that the session of the present incarnation ended. Its process will end soon.
    mutating func sessionEnded(_ phase: SessionPhase) {
        updateWorker { if !$0.session.isFinal { $0.session = phase } }
    }

    /// Records that the worker crashed, or is crashing.
    ///
    /// - Returns: Whether the crash is new information that explains the end better than what was known.
    mutating func crashed(by signal: Int32) -> Bool {
        var isNew = false
        updateWorker { worker in
            switch worker.session {
            // A refused worker may end in any way, including a trap. The refusal remains the cause.
            case .refused, .crashed: break
            // A worker that was ended for a timeout records no further crash, so this crash happened earlier.
            case .open, .ended, .silent, .overran:
                worker.session = .crashed(signal)
                isNew = true
            }
        }
        return isNew
    }

    /// Records that the worker exceeds a time limit, which is the limit of a turn unless another cause is given.
    ///
    /// - Returns: Whether the worker is to be ended for it. False if no worker runs or one is already being ended.
    mutating func overran(_ cause: Interruption.Cause = .turn) -> Bool {
        var isNew = false
        updateWorker { worker in
            isNew = worker.session == .open
            if isNew { worker.session = .overran(cause) }
        }
        return isNew
    }

    /// The serving worker, or nil if none serves, it was asked to leave, or its session is over.
    var serving: HostStatus.Serving? {
        guard case .serving(let worker, _, _) = phase, worker.session == .open else { return nil }
        return HostStatus.Serving(incarnation: worker.incarnation, processID: worker.processID)
    }

    /// Whether the handshake of the present incarnation completed.
    var hasServed: Bool { if case .serving = phase { true } else { false } }

    /// Whether a worker runs whose session is not over.
    var hasSession: Bool {
        switch phase {
        case .booting(let worker), .serving(let worker, _, _), .draining(let worker), .leaving(let worker, _):
            worker.session == .open
        case .idle, .backingOff, .givenUp, .stopped: false
        }
    }

    /// Whether a worker runs or will be started.
    var isActive: Bool {
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

    /// Whether the worker was asked to leave because its group needs it, or for a tool.
    var isLeaving: Bool { if case .leaving = phase { true } else { false } }

    /// Returns the cause of the present incarnation's death. The end of the session may explain it better than the end
    /// of the process.
    ///
    /// - Parameter cause: How the process ended.
    /// - Returns: The interruption, or nil if no incarnation is running.
    func death(_ cause: Interruption.Cause) -> Interruption? {
        switch phase {
        case .booting(let worker), .serving(let worker, _, _), .draining(let worker):
            Interruption(cause: worker.cause(of: cause), incarnation: worker.incarnation)
        case .leaving(let worker, let order):
            Interruption(cause: worker.cause(of: cause, after: order), incarnation: worker.incarnation)
        case .idle, .backingOff, .givenUp, .stopped: nil
        }
    }

    /// Handles the end of the worker's process, after all of its output has been read.
    ///
    /// - Parameters:
    ///   - cause: How the process ended.
    ///   - excuse: Why the death does not count against the worker.
    ///   - reporting: How long before its end the worker crashed.
    ///   - chance: A random number from 0 to 1.
    /// - Returns: The cause of death and the next step.
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
        case .leaving(_, let cause): next = .restart(HostStatus.Restart(after: cause))
        case .booting(let worker):
            next = judge(worker, death.cause) { $0.failedToBoot(death.cause, chance: chance) }
        case .serving(let worker, let since, let hasProgressed):
            let end = RestartBudget.Death(
                incarnation: worker.incarnation,
                cause: death.cause,
                since: since,
                time: now,
                hasProgressed: hasProgressed,
                excuse: excuse,
                reporting: reporting
            )
            next = judge(worker, death.cause) { $0.died(end, chance: chance) }
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
        _ worker: Worker,
        _ cause: Interruption.Cause,
        by verdict: (inout RestartBudget) -> RestartBudget.Verdict
    ) -> Next {
        if case .refused(let reason) = worker.session {
            // The next worker would be refused too, because it runs the same program.
            return giveUp("the worker was refused: \(reason)", cause, .protocol)
        }
        isDone = policy.kind == .temporary || (policy.kind == .transient && cause == .exit(code: 0))
        history.append(cause.withResult)
        if history.count > Self.maximumHistory { history.removeFirst() }
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
        let outlook = probe.map { "; it is tried again in \($0)" } ?? ""
        let failure = HostFailure(reason: reason + outlook, history: history, result: result)
        return .giveUp(failure, after: cause, isError: true, probe: probe)
    }

    // MARK: Orders of the group

    /// Gives up a worker that waits for its next incarnation, because its group was given up or is done. No incarnation
    /// starts before a revival.
    ///
    /// - Returns: Whether the worker was waiting and is given up now.
    mutating func giveUp(_ failure: HostFailure) -> Bool {
        switch phase {
        case .idle, .backingOff: phase = .givenUp(failure)
        case .booting, .serving, .draining, .leaving, .givenUp, .stopped: return false
        }
        isProbing = false
        return true
    }

    /// Requests an orderly end of the present incarnation for a group or for a tool, which is the cause.
    ///
    /// - Returns: The step to take, or nil if there is nothing to do.
    mutating func leave(for cause: Interruption.Cause) -> Stop? {
        switch phase {
        case .booting(let worker):
            phase = .leaving(worker, cause: cause)
            return .leave
        case .serving(let worker, _, _):
            phase = .leaving(worker, cause: cause)
            return worker.session == .open ? .drain : .leave
        case .idle, .draining, .leaving, .backingOff, .givenUp, .stopped: return nil
        }
    }

    /// Starts a worker again that was given up, because its group is tried again. The worker gets a new budget and
    /// accepts no events before it serves.
    ///
    /// - Returns: Whether the worker had been given up.
    mutating func retry() -> Bool {
        guard reset() else { return false }
        isProbing = true
        return true
    }

    // MARK: Probes

    /// Starts a worker again as a probe, some time after it was given up. It accepts no events before it serves.
    ///
    /// - Returns: Whether the worker had been given up.
    mutating func probe() -> Bool {
        guard case .givenUp = phase else { return false }
        phase = .idle
        isProbing = true
        budget.probe()
        return true
    }

    // MARK: Reset and stop

    /// Clears the record of a worker that was given up, so that it can be started again.
    ///
    /// - Returns: Whether the worker had been given up or was a probe, so that events are to be accepted again.
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
        case .booting(let worker):
            phase = .draining(worker)
            return .leave
        case .serving(let worker, _, _):
            phase = .draining(worker)
            return worker.session == .open ? .drain : .leave
        case .leaving(let worker, _):
            phase = .draining(worker)
            return .hasten
        case .draining: return .join
        case .idle, .backingOff, .givenUp, .stopped:
            phase = .stopped
            return .wake
        }
    }

    /// Changes the record of the present incarnation, if one is running.
    private mutating func updateWorker(_ change: (inout Worker) -> Void) {
        switch phase {
        case .booting(var worker):
            change(&worker)
            phase = .booting(worker)
        case .serving(var worker, let since, let hasProgressed):
            change(&worker)
            phase = .serving(worker, since: since, hasProgressed: hasProgressed)
        case .draining(var worker):
            change(&worker)
            phase = .draining(worker)
        case .leaving(var worker, let cause):
            change(&worker)
            phase = .leaving(worker, cause: cause)
        case .idle, .backingOff, .givenUp, .stopped: break
        }
    }
}

extension SupervisorState.Worker {
    /// Returns the cause of the worker's end. The session may explain it better than the process.
    fileprivate func cause(of cause: Interruption.Cause) -> Interruption.Cause {
        switch session {
        case .silent: .hang
        case .overran(let cause): cause
        case .crashed(let signal): cause.isNewerThanCrash ? cause : .signal(signal)
        case .open, .ended, .refused: cause
        }
    }

    /// Returns the cause for a worker that was ordered to end. What the worker did itself takes precedence over the
    /// order.
    fileprivate func cause(of cause: Interruption.Cause, after order: Interruption.Cause) -> Interruption.Cause {
        switch self.cause(of: cause) {
        case .statusLost: order
        case let cause: cause.isWorkersOwn ? cause : order
        }
    }
}

extension SupervisorState.SessionPhase {
    /// Whether this phase explains the end best, so that a later end of the session does not replace it.
    fileprivate var isFinal: Bool {
        switch self {
        case .refused, .overran, .crashed: true
        case .open, .ended, .silent: false
        }
    }
}

extension Interruption.Cause {
    /// Whether the process itself caused this end after it had recorded a crash.
    fileprivate var isNewerThanCrash: Bool {
        switch self {
        case .exit: true
        case .statusLost, .memory: false
        default: isWorkersOwn
        }
    }
}

extension HostStatus.Restart {
    /// Creates the restart status of a worker that was ended for a group or for a tool, and is started again.
    init(after cause: Interruption.Cause) {
        self.init(attempt: 1, delay: .zero, cause: cause)
    }
}
