import LatticeConcurrency
import LatticeCore
import LatticeSession

/// What counts against a worker, and with that whether and after how long the next one is started.
///
/// Three classes have budgets of their own: starts for which there was no room, starts that ended before the worker
/// said hello, and lives that served.
struct RestartBudget: Sendable {
    /// Why a death does not count against the worker.
    enum Excuse: Sendable, Equatable {
        /// It does.
        case none
        /// An effect with a name may be why, and its feature says what becomes of it.
        case answered
        /// An event is why that goes to quarantine now; it has ended these lives, the present one among them.
        case quarantined(lives: [UInt64])
    }

    /// The end of a life that served.
    struct Death: Sendable {
        let life: UInt64
        let cause: Interruption.Cause
        let since: ContinuousClock.Instant
        let time: ContinuousClock.Instant
        /// Whether a state of this life was acknowledged.
        let hasProgressed: Bool
        var excuse = Excuse.none
        /// How long before its end it had crashed: the time in which its report was written is no time in which it
        /// worked.
        var reporting = Duration.zero
    }

    enum Verdict: Sendable, Equatable {
        case restart(HostStatus.Restart)
        /// With a sentence that says why.
        case giveUp(String)
    }

    /// The longest wait for resources, which may be there again at any moment.
    static let longestLackDelay: Duration = .seconds(1)

    private let policy: RestartPolicy
    /// How long a worker has been silent when it is found to hang: that is no time in which it worked.
    private let silence: Duration
    /// How long one was in a turn when that is found to take too long.
    private let turn: Duration
    /// Starts in a row for which there was no room.
    private var lacks = 0
    /// Starts in a row that ended before hello.
    private var bootFailures = 0
    /// Deaths that count, since the last stable life: the steps of the wait.
    private var steps = 0
    /// Those of them that count for the intensity.
    private var deaths: [(life: UInt64, time: ContinuousClock.Instant)] = []
    /// Deaths since the last stable life that features answer for.
    private var answered = 0
    /// Events that went to quarantine without progress between them: where each event ends its worker, the worker is
    /// broken.
    private var quarantines = 0
    /// Whether the worker was given up, and this is the try that shows whether that still holds.
    private var isProbing = false

    init(policy: RestartPolicy, silence: Duration = .zero, turn: Duration = .zero) {
        self.policy = policy
        self.silence = silence
        self.turn = turn
    }

    // MARK: Starts

    /// There was no room for a start.
    ///
    /// - Parameter chance: A number from 0 to 1, as everywhere below.
    mutating func lacked(_ reason: String, chance: Double) -> HostStatus.Restart {
        lacks += 1
        let delay = min(delay(lacks, chance), Self.longestLackDelay)
        return HostStatus.Restart(attempt: lacks, delay: delay, cause: .lackOfResources(reason))
    }

    mutating func served() {
        lacks = 0
        bootFailures = 0
    }

    /// A start ended before the worker said hello.
    mutating func failedToBoot(_ cause: Interruption.Cause, chance: Double) -> Verdict {
        bootFailures += 1
        guard !isProbing else { return .giveUp("the worker, tried again, ended before it said hello: \(cause)") }
        guard bootFailures <= policy.bootIntensity else {
            let advice = cause == .hang ? "; give it more time by restart.bootTimeout, or run its" : "; run its"
            return .giveUp(
                "the worker ended \(bootFailures) times before it said hello, the last time: \(cause)\(advice)"
                    + " executable by hand to see why"
            )
        }
        return .restart(.init(attempt: bootFailures, delay: delay(bootFailures, chance), cause: cause))
    }

    // MARK: Lives

    mutating func died(_ death: Death, chance: Double) -> Verdict {
        let idle = idleTime(before: death.cause) + death.reporting
        // As if it had been found at once.
        for index in deaths.indices { deaths[index].time += idle }
        let lived = death.since.duration(to: death.time) - idle
        let isStable = lived >= policy.stableTime
        if isStable { forgetDeaths() }
        if death.hasProgressed { quarantines = 0 }
        switch death.excuse {
        case .quarantined(let lives):
            quarantines += 1
            if quarantines <= policy.intensity {
                forgive(lives)
                return restart(attempt: steps + 1, after: death, isStable, chance)
            }
        case .answered:
            answered += 1
            if answered <= policy.answeredDeaths { return restart(attempt: steps + 1, after: death, isStable, chance) }
        case .none: break
        }
        guard !isProbing else { return .giveUp("the worker, tried again, died before it was stable: \(death.cause)") }
        steps += 1
        deaths.removeAll { [period = policy.period] in $0.time.duration(to: death.time) > period }
        deaths.append((death.life, death.time))
        guard deaths.count <= policy.intensity else {
            return .giveUp(
                "the worker died \(deaths.count) times within \(policy.period), the last time: \(death.cause)"
            )
        }
        return restart(attempt: steps, after: death, isStable, chance)
    }

    /// How long before its end the worker did nothing any more.
    private func idleTime(before cause: Interruption.Cause) -> Duration {
        switch cause {
        case .hang: silence
        case .turn: turn
        default: .zero
        }
    }

    private func restart(attempt: Int, after death: Death, _ isStable: Bool, _ chance: Double) -> Verdict {
        .restart(.init(attempt: attempt, delay: isStable ? .zero : delay(attempt, chance), cause: death.cause))
    }

    private mutating func forgetDeaths() {
        steps = 0
        deaths = []
        answered = 0
        isProbing = false
    }

    /// These lives were ended by an event, and do not count.
    private mutating func forgive(_ lives: [UInt64]) {
        let before = deaths.count
        deaths.removeAll { lives.contains($0.life) }
        steps -= before - deaths.count
    }

    /// Nothing counts any more.
    mutating func reset() {
        self = RestartBudget(policy: policy, silence: silence, turn: turn)
    }

    /// The worker was given up, and is tried once more.
    mutating func probe() {
        isProbing = true
    }

    private func delay(_ attempt: Int, _ chance: Double) -> Duration {
        let times = max(attempt, 1) - 1
        let delay = policy.initialDelay.grown(by: policy.factor, times: times, atMost: policy.maximumDelay)
        return delay.scaled(by: 1 + policy.jitter * (2 * chance - 1), atMost: policy.maximumDelay)
    }
}

extension TerminationVerdict {
    /// Why the death does not count against the worker.
    var excuse: RestartBudget.Excuse {
        if let poisoned { return .quarantined(lives: poisoned.earlierLives + poisoned.lives) }
        return isAnswered ? .answered : .none
    }
}
