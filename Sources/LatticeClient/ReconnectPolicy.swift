import LatticeConcurrency
import LatticeCore
import LatticeSession

/// How long a client tries to get a lost connection back.
public struct ReconnectPolicy: Sendable, Equatable {
    /// The wait before the first try.
    public var initialDelay: Duration = .milliseconds(50)
    /// By how much the wait grows with each try.
    public var factor: Double = 2
    /// The longest wait.
    public var maximumDelay: Duration = .seconds(2)
    /// The share of the wait, from 0 to 1, by which it varies at random, so that many clients do not come in step.
    public var jitter: Double = 0.2
    /// A connection this long counts as had back. Shorter ones count like tries that failed.
    public var stableTime: Duration = .seconds(1)
    /// How long to try in all, from the end of the last stable connection. The time for which connections lasted that
    /// were too short does not count. Then events that were sent end `unknown`, waiting ones `rejected`, and
    /// `hostStatus` is `failed`.
    public var limit: Duration = .seconds(30)

    public init() {}

    /// Do not try at all.
    public static var never: ReconnectPolicy {
        var policy = ReconnectPolicy()
        policy.limit = .zero
        return policy
    }

    func check() throws(ConfigurationError) {
        try Settings.check("reconnect.initialDelay", initialDelay)
        try Settings.check("reconnect.maximumDelay", maximumDelay, notBelow: ("reconnect.initialDelay", initialDelay))
        try Settings.check("reconnect.factor", factor: factor)
        try Settings.check("reconnect.jitter", number: jitter, 0...1)
        try Settings.check("reconnect.stableTime", stableTime, from: .zero)
        try Settings.check("reconnect.limit", limit, from: .zero)
    }

    /// The wait before a try, counted from 0, that begins `elapsed` after the loss; nil: no more tries.
    ///
    /// - Parameter chance: A number from 0 to 1.
    func delay(_ attempt: Int, elapsed: Duration, chance: Double = 0.5) -> Duration? {
        guard elapsed < limit else { return nil }
        let delay = initialDelay.grown(by: factor, times: attempt, atMost: maximumDelay)
        return min(delay.scaled(by: 1 + jitter * (2 * chance - 1), atMost: maximumDelay), limit - elapsed)
    }
}

/// How fast a client tries to get its connection back. It only counts; time comes in as an argument, chance from a
/// seed.
///
/// - `stable`: nothing is wrong; also while a connection lasts that is new.
/// - `troubled`: since the last stable connection ended, so many tries were made.
struct ReconnectPace: Sendable {
    private enum State: Sendable {
        case stable
        case troubled(since: ContinuousClock.Instant, attempts: Int)
    }

    private let policy: ReconnectPolicy
    private var state = State.stable
    private var connectedSince: ContinuousClock.Instant?
    private var generator: SeededGenerator

    init(policy: ReconnectPolicy, seed: UInt64) {
        self.policy = policy
        generator = SeededGenerator(seed: seed)
    }

    /// A handshake is done.
    mutating func connected(at now: ContinuousClock.Instant) {
        connectedSince = now
    }

    /// The connection is gone. After a short one the waits go on growing: a coordinator that takes connections and
    /// drops them is not asked faster. The time for which it lasted was no time of trying.
    mutating func lost(at now: ContinuousClock.Instant) {
        let lasted = connectedSince.map { $0.duration(to: now) } ?? .zero
        connectedSince = nil
        if case .troubled(let since, let attempts) = state, lasted < policy.stableTime {
            state = .troubled(since: since + lasted, attempts: attempts)
        } else {
            state = .troubled(since: now, attempts: 0)
        }
    }

    /// The wait before the next try; nil: no more tries.
    mutating func nextDelay(at now: ContinuousClock.Instant) -> Duration? {
        guard case .troubled(let since, let attempts) = state else { return .zero }
        state = .troubled(since: since, attempts: attempts + 1)
        let chance = Double.random(in: 0...1, using: &generator)
        return policy.delay(attempts, elapsed: since.duration(to: now), chance: chance)
    }
}
