import LatticeConcurrency
import LatticeCore
import LatticeSession

/// The budget of restarts: what counts against a worker, and whether and after which delay the next one is started.
///
/// Three classes of failures have separate budgets: starts for which the system lacked resources, starts that ended
/// before the handshake, and deaths of workers that served.
struct RestartBudget: Sendable {
    /// The reason why a death does not count against the worker.
    enum Excuse: Sendable, Equatable {
        /// There is no excuse. The death counts.
        case none
        /// A named effect may have caused the death, and its feature decides how to continue.
        case answered
        /// A task of the worker caused the death, and the owner of the task limits how often it runs again.
        case task
        /// An event caused the death and is quarantined now. It ended these incarnations, including the present one.
        case quarantined(incarnations: [UInt64])
    }

    /// The end of an incarnation that served.
    struct Death: Sendable {
        let incarnation: UInt64
        let cause: Interruption.Cause
        let since: ContinuousClock.Instant
        let time: ContinuousClock.Instant
        /// Whether a state of this incarnation was acknowledged.
        let hasProgressed: Bool
        var excuse = Excuse.none
        /// How long before its end the worker crashed. While it wrote its crash report it did no work, so that time is
        /// not counted as running time.
        var reporting = Duration.zero
    }

    enum Verdict: Sendable, Equatable {
        case restart(HostStatus.Restart)
        /// Stop restarting, for the reason in this sentence.
        case giveUp(String)
    }

    /// The maximum delay after a lack of resources. Resources may become available at any moment.
    static let maximumLackDelay: Duration = .seconds(1)

    private let policy: RestartPolicy
    /// How long a worker has been silent when it is considered hung. It did no work in that time.
    private let heartbeatTimeout: Duration
    /// How long a worker has been in a turn when the turn exceeds its limit.
    var turnTimeout: Duration
    /// The number of successive starts for which the system lacked resources.
    private var lacks = 0
    /// The number of successive starts that ended before the handshake.
    private var bootFailures = 0
    /// The number of deaths that count since the last stable incarnation. It determines the delay.
    private var steps = 0
    /// Those of the counted deaths that are compared with the policy's `intensity.restarts`.
    private var deaths: [(incarnation: UInt64, time: ContinuousClock.Instant)] = []
    /// The number of deaths since the last stable incarnation that features answer for.
    private var answered = 0
    /// The number of events that were quarantined without progress between them. If every event ends the worker, the
    /// worker itself is broken.
    private var quarantines = 0
    /// Whether the worker was given up and is now running as a probe.
    private var isProbing = false

    init(policy: RestartPolicy, heartbeatTimeout: Duration = .zero, turnTimeout: Duration = .zero) {
        self.policy = policy
        self.heartbeatTimeout = heartbeatTimeout
        self.turnTimeout = turnTimeout
    }

    // MARK: Starts

    /// Records that the system lacked resources for a start.
    ///
    /// - Parameter chance: A random number from 0 to 1, as in the functions below.
    mutating func lacked(_ reason: String, chance: Double) -> HostStatus.Restart {
        lacks += 1
        let delay = min(delay(lacks, chance), Self.maximumLackDelay)
        return HostStatus.Restart(attempt: lacks, delay: delay, cause: .lackOfResources(reason))
    }

    mutating func served() {
        lacks = 0
        bootFailures = 0
    }

    /// Records a start that ended before the handshake.
    mutating func failedToBoot(_ cause: Interruption.Cause, chance: Double) -> Verdict {
        bootFailures += 1
        guard !isProbing else {
            return .giveUp("the worker was tried again and ended before it completed its handshake: \(cause)")
        }
        guard bootFailures <= policy.maximumFailedStarts else {
            let advice = cause == .hang ? "; raise restart.bootTimeout to give it more time, or run its" : "; run its"
            return .giveUp(
                "the worker ended \(bootFailures) \(bootFailures == 1 ? "time" : "times") before it completed its"
                    + " handshake, the last time: \(cause)\(advice) executable by hand to see why"
            )
        }
        return .restart(.init(attempt: bootFailures, delay: delay(bootFailures, chance), cause: cause))
    }

    // MARK: Deaths

    mutating func died(_ death: Death, chance: Double) -> Verdict {
        let idle = idleTime(before: death.cause) + death.reporting
        // Shift the earlier deaths, as if the hang had been noticed at once.
        for index in deaths.indices { deaths[index].time += idle }
        let lived = death.since.duration(to: death.time) - idle
        let isStable = lived >= policy.stableTime
        if isStable { forgetDeaths() }
        if death.hasProgressed { quarantines = 0 }
        switch death.excuse {
        case .quarantined(let incarnations):
            quarantines += 1
            if quarantines <= policy.intensity.restarts {
                forgive(incarnations)
                return restart(attempt: steps + 1, after: death, isStable, chance)
            }
        case .answered:
            answered += 1
            if answered <= policy.maximumAnsweredDeaths {
                return restart(attempt: steps + 1, after: death, isStable, chance)
            }
        case .task: return .restart(.init(attempt: steps + 1, delay: .zero, cause: death.cause))
        case .none: break
        }
        guard !isProbing else {
            return .giveUp("the worker was tried again and ended before it was stable: \(death.cause)")
        }
        steps += 1
        let period = policy.intensity.period
        deaths.removeAll { $0.time.duration(to: death.time) > period }
        deaths.append((death.incarnation, death.time))
        guard deaths.count <= policy.intensity.restarts else {
            return .giveUp(
                "the worker ended \(deaths.count) \(deaths.count == 1 ? "time" : "times") within \(period), the last"
                    + " time: \(death.cause)"
            )
        }
        return restart(attempt: steps, after: death, isStable, chance)
    }

    /// Returns how long the worker had done no work before its end was noticed.
    private func idleTime(before cause: Interruption.Cause) -> Duration {
        switch cause {
        case .hang: heartbeatTimeout
        case .turn: turnTimeout
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

    /// Removes the deaths of these incarnations, because an event caused them.
    private mutating func forgive(_ incarnations: [UInt64]) {
        let before = deaths.count
        deaths.removeAll { incarnations.contains($0.incarnation) }
        steps -= before - deaths.count
    }

    /// Clears the whole record.
    mutating func reset() {
        self = RestartBudget(policy: policy, heartbeatTimeout: heartbeatTimeout, turnTimeout: turnTimeout)
    }

    /// Marks the next incarnation as a probe, because the worker was given up.
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
    /// The reason why the death does not count against the worker.
    var excuse: RestartBudget.Excuse {
        if let poisoned { return .quarantined(incarnations: poisoned.earlierIncarnations + poisoned.incarnations) }
        return isAnswered ? .answered : .none
    }
}
