import LatticeCore

/// Where a supervised worker stands, what counts against it, and what is to be done next.
///
/// Each input is a function that returns what to do. Time and chance come in as arguments. An input that does not fit
/// the state comes late, or twice: it changes nothing and asks for nothing.
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
        /// The worker ended, or there was no room to start it; the next one is started after a wait.
        case backingOff(HostStatus.Restart)
        /// The worker ended, and none is started before a reset.
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
    }

    /// What to do when a life is over.
    enum Next: Sendable, Equatable {
        /// Start the next worker after the wait.
        case restart(HostStatus.Restart)
        /// Take nothing until a reset. The end is no error where the policy allows it.
        case giveUp(HostFailure, after: Interruption.Cause, isError: Bool)
        /// Take nothing any more.
        case stop
    }

    /// What to do when the supervisor is to stop.
    enum Stop: Sendable, Equatable {
        /// Let the worker finish what is running, then have it leave.
        case drain
        /// Have the worker leave, which serves nobody.
        case leave
        /// Wait for the stop that is under way.
        case join
        /// No worker is there: wake who waits for a reset.
        case wake
    }

    /// What counts against the worker.
    private struct Record: Sendable {
        var bootFailures = 0
        /// Starts in a row for which there was no room.
        var lacks = 0
        var deaths: [(life: UInt64, time: ContinuousClock.Instant)] = []
        /// Lives in a row that did not become stable.
        var shortLives = 0
        /// The newest life that an event has ended.
        var forgivenThrough: UInt64 = 0
        /// Events that went to quarantine without progress between them: where each event ends its worker, the worker
        /// is broken.
        var quarantines = 0
        /// Past ends, oldest first.
        var history: [String] = []

        /// These lives were ended by an event, and do not count against the worker.
        mutating func forgive(_ lives: [UInt64], before current: UInt64) {
            deaths.removeAll { lives.contains($0.life) }
            // Several events may have been on their way when a life ended.
            let news = lives.count { $0 > forgivenThrough && $0 < current }
            shortLives = max(0, shortLives - news)
            forgivenThrough = current
        }
    }

    /// How many past ends a failure lists.
    static let longestHistory = 16

    /// The longest wait for resources, which may be there again at any moment.
    static let longestLackDelay: Duration = .seconds(1)

    private(set) var phase = Phase.idle
    /// The number of the newest life.
    private(set) var incarnation: UInt64 = 0
    private let policy: RestartPolicy
    private var record = Record()

    init(policy: RestartPolicy) {
        self.policy = policy
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
        case .booting, .serving, .draining, .givenUp, .stopped: return nil
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
        if case .draining = phase { phase = .stopped }
        guard case .booting = phase else { return nil }
        incarnation -= 1
        record.lacks += 1
        let delay = min(delay(record.lacks, chance), Self.longestLackDelay)
        let restart = HostStatus.Restart(attempt: record.lacks, delay: delay, cause: .lackOfResources(reason))
        phase = .backingOff(restart)
        return restart
    }

    /// The worker said hello and was taken in.
    ///
    /// - Returns: Who serves from now on; nil: the supervisor stops.
    mutating func served(at now: ContinuousClock.Instant) -> HostStatus.Serving? {
        guard case .booting(let life) = phase else { return nil }
        record.lacks = 0
        phase = .serving(life, since: now, hasProgressed: false)
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
        changeLife { $0.session = fate }
    }

    /// Whether the worker was asked to leave.
    var isDraining: Bool { if case .draining = phase { true } else { false } }

    /// What the death of the present life was, which the end of the session may explain better than the process.
    ///
    /// - Parameter cause: How the process ended.
    /// - Returns: nil if there is no life.
    func death(_ cause: Interruption.Cause) -> Interruption? {
        switch phase {
        case .booting(let life), .serving(let life, _, _), .draining(let life):
            Interruption(cause: life.session == .silent ? .hang : cause, incarnation: life.incarnation)
        case .idle, .backingOff, .givenUp, .stopped: nil
        }
    }

    /// The worker's process is gone, and all that it wrote is read.
    ///
    /// - Parameters:
    ///   - cause: How the process ended.
    ///   - blamedLives: The lives, this one among them, that an event has ended which goes to quarantine now: they do
    ///     not count against the worker.
    ///   - chance: A number from 0 to 1.
    /// - Returns: What the death was, and what to do.
    mutating func ended(
        _ cause: Interruption.Cause,
        blamedLives: [UInt64] = [],
        at now: ContinuousClock.Instant,
        chance: Double
    ) -> (death: Interruption, next: Next)? {
        guard let death = death(cause) else { return nil }
        let next: Next
        switch phase {
        case .draining: next = .stop
        case .booting(let life): next = judge(life, death.cause, nil, blamedLives, now, chance)
        case .serving(let life, let since, let hasProgressed):
            next = judge(life, death.cause, (since, hasProgressed), blamedLives, now, chance)
        case .idle, .backingOff, .givenUp, .stopped: return nil
        }
        switch next {
        case .restart(let restart): phase = .backingOff(restart)
        case .giveUp(let failure, _, _): phase = .givenUp(failure)
        case .stop: phase = .stopped
        }
        return (death, next)
    }

    private mutating func judge(
        _ life: Life,
        _ cause: Interruption.Cause,
        _ served: (since: ContinuousClock.Instant, hasProgressed: Bool)?,
        _ blamedLives: [UInt64],
        _ now: ContinuousClock.Instant,
        _ chance: Double
    ) -> Next {
        if case .refused(let reason) = life.session {
            // Neither would the next one be taken in, which is the same program.
            return giveUp("the worker was refused: \(reason)", cause)
        }
        record.history.append(String(describing: cause))
        if record.history.count > Self.longestHistory { record.history.removeFirst() }
        switch (policy.kind, cause) {
        case (.temporary, _): return giveUp("the worker ended: \(cause)", cause)
        case (.transient, .exit(code: 0)):
            return .giveUp(HostFailure(reason: "the worker ended: \(cause)"), after: cause, isError: false)
        default: break
        }
        guard let served else { return judgeBoot(cause, chance) }
        record.bootFailures = 0
        if served.hasProgressed { record.quarantines = 0 }
        if !blamedLives.isEmpty {
            record.quarantines += 1
            if record.quarantines <= policy.intensity {
                record.forgive(blamedLives, before: life.incarnation)
                let attempt = record.deaths.count + 1
                return .restart(.init(attempt: attempt, delay: delay(attempt, chance), cause: cause))
            }
        }
        let isStable = served.since.duration(to: now) >= policy.stableTime
        record.shortLives = isStable ? 0 : record.shortLives + 1
        guard record.shortLives <= policy.shortLives else {
            return giveUp(
                "the worker died \(record.shortLives) times in a row before it had run for \(policy.stableTime), the last"
                    + " time: \(cause)",
                cause
            )
        }
        if served.hasProgressed || isStable { record.deaths = [] }
        record.deaths.removeAll { [period = policy.period] in $0.time.duration(to: now) > period }
        record.deaths.append((life.incarnation, now))
        let attempt = record.deaths.count
        guard attempt <= policy.intensity else {
            return giveUp(
                "the worker died \(attempt) times within \(policy.period) without progress, the last time: \(cause)",
                cause
            )
        }
        return .restart(.init(attempt: attempt, delay: isStable ? .zero : delay(attempt, chance), cause: cause))
    }

    private mutating func judgeBoot(_ cause: Interruption.Cause, _ chance: Double) -> Next {
        record.bootFailures += 1
        let attempt = record.bootFailures
        guard attempt <= policy.bootIntensity else {
            return giveUp(
                "the worker ended \(attempt) times before it said hello, the last time: \(cause); run its executable by"
                    + " hand to see why",
                cause
            )
        }
        return .restart(.init(attempt: attempt, delay: delay(attempt, chance), cause: cause))
    }

    private func giveUp(_ reason: String, _ cause: Interruption.Cause) -> Next {
        .giveUp(HostFailure(reason: reason, history: record.history), after: cause, isError: true)
    }

    private func delay(_ attempt: Int, _ chance: Double) -> Duration {
        var delay = policy.initialDelay
        for _ in 1..<max(attempt, 1) where delay < policy.maximumDelay { delay = delay * policy.factor }
        delay = min(delay, policy.maximumDelay) * (1 + policy.jitter * (2 * chance - 1))
        return min(delay, policy.maximumDelay)
    }

    // MARK: By hand

    /// Forgets what counted against a worker that was given up, so that it can be started again.
    ///
    /// - Returns: Whether one was.
    mutating func reset() -> Bool {
        guard case .givenUp = phase else { return false }
        phase = .idle
        record = Record()
        return true
    }

    mutating func stop() -> Stop {
        switch phase {
        case .booting(let life):
            phase = .draining(life)
            return .leave
        case .serving(let life, _, _):
            phase = .draining(life)
            return life.session == .going ? .drain : .leave
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
        case .idle, .backingOff, .givenUp, .stopped: break
        }
    }
}
