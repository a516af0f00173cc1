import LatticeConcurrency

/// How often to try, and how long to wait in between. A value: it neither waits nor keeps count.
///
/// ```swift
/// .exponential(from: .milliseconds(100), limit: .seconds(10), jitter: 0.2, attempts: 5)
/// ```
public struct Backoff: Sendable, Hashable {
    /// The wait after the first attempt.
    public let initialDelay: Duration
    /// By how much the wait grows with each attempt.
    public let factor: Double
    /// The longest wait.
    public let limit: Duration
    /// The share of the wait, from 0 to 1, by which it varies at random, so that many programs do not try in step.
    public let jitter: Double
    /// How often to try in all, the first attempt included.
    public let attempts: Int

    private init(initialDelay: Duration, factor: Double, limit: Duration, jitter: Double, attempts: Int) {
        precondition(
            attempts > 0,
            "A Backoff needs at least 1 attempt, the first one included; it was given \(attempts)"
        )
        let shortest = min(initialDelay, limit)
        precondition(
            shortest >= .zero,
            "A Backoff cannot wait for \(shortest); give it a delay and a limit of 0 or more"
        )
        precondition(factor >= 1 && factor.isFinite, "A Backoff grows by a factor of 1 or more; it was given \(factor)")
        precondition((0...1).contains(jitter), "The jitter of a Backoff is a share from 0 to 1; it was given \(jitter)")
        self.initialDelay = initialDelay
        self.factor = factor
        self.limit = limit
        self.jitter = jitter
        self.attempts = attempts
    }

    /// Always the same wait.
    public static func constant(_ delay: Duration, attempts: Int) -> Backoff {
        Backoff(initialDelay: delay, factor: 1, limit: delay, jitter: 0, attempts: attempts)
    }

    /// A wait that grows with each attempt.
    /// - Parameters:
    ///   - initialDelay: the wait after the first attempt.
    ///   - factor: by how much it grows, 1 or more.
    ///   - limit: the longest wait, jitter included.
    ///   - jitter: the share of the wait by which it varies at random, from 0 to 1.
    ///   - attempts: how often to try in all, 1 or more.
    public static func exponential(
        from initialDelay: Duration = .milliseconds(100),
        factor: Double = 2,
        limit: Duration = .seconds(30),
        jitter: Double = 0.2,
        attempts: Int
    ) -> Backoff {
        Backoff(initialDelay: initialDelay, factor: factor, limit: limit, jitter: jitter, attempts: attempts)
    }

    /// The wait after an attempt that failed, or nil if it was the last one.
    /// - Parameters:
    ///   - attempt: counted from 1.
    ///   - generator: where chance comes from; asked once for each wait with jitter.
    /// - Complexity: O(*n*), where *n* is the smaller of `attempt` and the number of attempts until the wait has grown
    ///   to ``limit``.
    public func delay(after attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration? {
        guard attempt < attempts else { return nil }
        let delay = initialDelay.grown(by: factor, times: max(attempt, 1) - 1, atMost: limit)
        guard jitter > 0 else { return delay }
        return delay.scaled(by: 1 + jitter * Double.random(in: -1...1, using: &generator), atMost: limit)
    }
}

/// Random numbers that can be had again from their seed (SplitMix64, Steele, Lea and Flood 2014). For jitter, not for
/// secrets.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
