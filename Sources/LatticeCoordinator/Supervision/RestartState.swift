import LatticeCore

/// What a supervisor remembers of the lives of its worker, and what it does when one ends.
///
/// Time and chance come in as arguments. The states of a life:
/// - `none`: nothing runs.
/// - `booting`: started, and has not said hello.
/// - `serving`: said hello; may have made progress.
struct RestartState: Sendable {
    enum Decision: Sendable, Equatable {
        /// Start the next incarnation after a wait; `attempt` counts the deaths in a row.
        case restart(after: Duration, attempt: Int)
        /// The worker ended and that is all right.
        case stop
        case giveUp(HostFailure)
    }

    private enum Life: Sendable {
        case none
        case booting
        case serving(since: ContinuousClock.Instant, hasProgressed: Bool)
    }

    /// How many past ends a failure lists.
    static let longestHistory = 16

    /// The longest wait for resources, which may be there again at any moment.
    static let longestLackDelay: Duration = .seconds(1)

    let policy: RestartPolicy
    private var life = Life.none
    private var bootFailures = 0
    /// Starts in a row for which there was no room.
    private var lacks = 0
    private var deaths: [ContinuousClock.Instant] = []
    /// Lives in a row that did not become stable.
    private var shortLives = 0
    private var history: [String] = []

    init(policy: RestartPolicy) {
        self.policy = policy
    }

    mutating func started() {
        life = .booting
    }

    /// There was no room for a start: no descriptor, no process, no memory. It counts against nobody, and is tried again
    /// until it succeeds.
    mutating func lacked(chance: Double) -> (delay: Duration, attempt: Int) {
        life = .none
        lacks += 1
        return (min(delay(lacks, chance), Self.longestLackDelay), lacks)
    }

    mutating func served(at now: ContinuousClock.Instant) {
        life = .serving(since: now, hasProgressed: false)
        lacks = 0
    }

    /// A state of this life was acknowledged.
    mutating func progressed() {
        guard case .serving(let since, false) = life else { return }
        life = .serving(since: since, hasProgressed: true)
    }

    /// Forgets what counted against the worker: a reset by hand.
    mutating func reset() {
        self = RestartState(policy: policy)
    }

    /// - Parameter chance: A number from 0 to 1.
    mutating func ended(_ cause: Interruption.Cause, at now: ContinuousClock.Instant, chance: Double) -> Decision {
        defer { life = .none }
        history.append(String(describing: cause))
        if history.count > Self.longestHistory { history.removeFirst() }
        switch (policy.kind.value, cause) {
        case (.temporary, _): return .giveUp(HostFailure(reason: "the worker ended: \(cause)", history: history))
        case (.transient, .exit(code: 0)): return .stop
        default: break
        }
        switch life {
        case .none, .booting: return endedBooting(cause, chance)
        case .serving(let since, let hasProgressed):
            return endedServing(cause, lasted: since.duration(to: now), hasProgressed, now, chance)
        }
    }

    /// The worker said hello and was not taken in. Neither would the next one be, which is the same program.
    mutating func refused(_ reason: String) -> Decision {
        life = .none
        return .giveUp(HostFailure(reason: "the worker was refused: \(reason)", history: history))
    }

    private mutating func endedBooting(_ cause: Interruption.Cause, _ chance: Double) -> Decision {
        bootFailures += 1
        guard bootFailures <= policy.bootIntensity else {
            let reason =
                "the worker ended \(bootFailures) times before it said hello, the last time: \(cause); run its"
                + " executable by hand to see why"
            return .giveUp(HostFailure(reason: reason, history: history))
        }
        return .restart(after: delay(bootFailures, chance), attempt: bootFailures)
    }

    private mutating func endedServing(
        _ cause: Interruption.Cause,
        lasted: Duration,
        _ hasProgressed: Bool,
        _ now: ContinuousClock.Instant,
        _ chance: Double
    ) -> Decision {
        bootFailures = 0
        let isStable = lasted >= policy.stableTime
        shortLives = isStable ? 0 : shortLives + 1
        guard shortLives <= policy.shortLives else {
            let reason =
                "the worker died \(shortLives) times in a row before it had run for \(policy.stableTime), the last"
                + " time: \(cause)"
            return .giveUp(HostFailure(reason: reason, history: history))
        }
        if hasProgressed || isStable { deaths = [] }
        deaths.removeAll { [period = policy.period] in $0.duration(to: now) > period }
        deaths.append(now)
        guard deaths.count <= policy.intensity else {
            let reason =
                "the worker died \(deaths.count) times within \(policy.period) without progress, the last time:"
                + " \(cause)"
            return .giveUp(HostFailure(reason: reason, history: history))
        }
        return .restart(after: isStable ? .zero : delay(deaths.count, chance), attempt: deaths.count)
    }

    private func delay(_ attempt: Int, _ chance: Double) -> Duration {
        var delay = policy.initialDelay
        for _ in 1..<max(attempt, 1) where delay < policy.maximumDelay { delay = delay * policy.factor }
        delay = min(delay, policy.maximumDelay) * (1 + policy.jitter * (2 * chance - 1))
        return min(delay, policy.maximumDelay)
    }
}
