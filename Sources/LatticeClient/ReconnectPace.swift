import LatticeCore

/// How fast a client tries to get its connection back. It only counts; time comes in as an argument, chance from a seed.
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

    /// The connection is gone. A short one changes nothing: whoever takes connections and drops them is not asked faster.
    mutating func lost(at now: ContinuousClock.Instant) {
        let lasted = connectedSince.map { $0.duration(to: now) }
        connectedSince = nil
        if case .troubled = state, (lasted ?? .zero) < policy.stableTime { return }
        state = .troubled(since: now, attempts: 0)
    }

    /// The wait before the next try; nil: no more tries.
    mutating func nextDelay(at now: ContinuousClock.Instant) -> Duration? {
        guard case .troubled(let since, let attempts) = state else { return .zero }
        state = .troubled(since: since, attempts: attempts + 1)
        let chance = Double.random(in: 0...1, using: &generator)
        return policy.delay(attempts, elapsed: since.duration(to: now), chance: chance)
    }
}
