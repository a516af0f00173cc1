import LatticeConcurrency
import LatticeCore
import LatticeSession

/// The policy of a client for reconnecting after its connection was lost: how often it tries, and for how long.
///
/// ```swift
/// var policy = ReconnectPolicy()
/// policy.initialDelay = .milliseconds(100)
/// policy.timeout = .seconds(120)
/// configuration.reconnect = policy
/// ```
public struct ReconnectPolicy: Sendable, Equatable {
    /// The delay before the first attempt. The default is 50 milliseconds.
    public var initialDelay: Duration = .milliseconds(50)
    /// The factor by which the delay grows with each attempt. The default is 2.
    public var factor: Double = 2
    /// The maximum delay between two attempts. The default is 2 seconds.
    public var maximumDelay: Duration = .seconds(2)
    /// The share of the delay, from 0 to 1, by which it varies randomly, so that many clients do not reconnect at the
    /// same time. The default is 0.2.
    public var jitter: Double = 0.2
    /// The duration after which a new connection is considered stable. A shorter connection counts as a failed attempt.
    /// The default is 1 second.
    public var stableTime: Duration = .seconds(1)
    /// The total time for which the client tries to reconnect, measured from the end of the last stable connection. The
    /// default is 30 seconds.
    ///
    /// The duration of connections that were too short to be stable is not included. After this time, events that were
    /// sent end `unknown`, waiting events end `rejected`, and `hostStatus` is `failed`.
    public var timeout: Duration = .seconds(30)

    /// Creates a policy with the default settings.
    public init() {}

    /// A policy that never reconnects.
    public static var never: ReconnectPolicy {
        var policy = ReconnectPolicy()
        policy.timeout = .zero
        return policy
    }

    func check() throws(ConfigurationError) {
        try Settings.check("reconnect.initialDelay", initialDelay)
        try Settings.check("reconnect.maximumDelay", maximumDelay, notBelow: ("reconnect.initialDelay", initialDelay))
        try Settings.check("reconnect.factor", factor: factor)
        try Settings.check("reconnect.jitter", number: jitter, 0...1)
        try Settings.check("reconnect.stableTime", stableTime, from: .zero)
        try Settings.check("reconnect.timeout", timeout, from: .zero)
    }

    /// Returns the delay before an attempt, or nil if there are no more attempts.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt, counted from 0.
    ///   - elapsed: The time since the connection was lost.
    ///   - chance: A random number from 0 to 1.
    func delay(_ attempt: Int, elapsed: Duration, chance: Double = 0.5) -> Duration? {
        guard elapsed < timeout else { return nil }
        let delay = initialDelay.grown(by: factor, times: attempt, atMost: maximumDelay)
        return min(delay.scaled(by: 1 + jitter * (2 * chance - 1), atMost: maximumDelay), timeout - elapsed)
    }
}

/// The pace at which a client tries to reconnect. A state machine that gets times as arguments and random numbers from
/// a seed.
///
/// - `stable`: The connection works. This is also the state while a new connection lasts.
/// - `troubled`: No stable connection has existed since a point in time, and a number of attempts were made.
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

    /// Notes that a handshake has succeeded.
    mutating func connected(at now: ContinuousClock.Instant) {
        connectedSince = now
    }

    /// Notes that the connection was lost.
    ///
    /// After a short connection the delays continue to grow, so that a coordinator that accepts connections and drops
    /// them is not asked faster. The duration of such a connection does not count towards the timeout.
    mutating func lost(at now: ContinuousClock.Instant) {
        let lasted = connectedSince.map { $0.duration(to: now) } ?? .zero
        connectedSince = nil
        if case .troubled(let since, let attempts) = state, lasted < policy.stableTime {
            state = .troubled(since: since + lasted, attempts: attempts)
        } else {
            state = .troubled(since: now, attempts: 0)
        }
    }

    /// Returns the delay before the next attempt, or nil if there are no more attempts.
    mutating func nextDelay(at now: ContinuousClock.Instant) -> Duration? {
        guard case .troubled(let since, let attempts) = state else { return .zero }
        state = .troubled(since: since, attempts: attempts + 1)
        let chance = Double.random(in: 0...1, using: &generator)
        return policy.delay(attempts, elapsed: since.duration(to: now), chance: chance)
    }
}
