import LatticeConcurrency

/// The number of attempts, and the delays between them. A backoff is a value: it neither waits nor counts.
///
/// ```swift
/// .exponential(from: .milliseconds(100), maximumDelay: .seconds(10), jitter: 0.2, attempts: 5)
/// ```
public struct Backoff: Sendable, Hashable {
    /// The delay after the first attempt.
    public let initialDelay: Duration
    /// The factor by which the delay grows with each attempt.
    public let factor: Double
    /// The maximum delay.
    public let maximumDelay: Duration
    /// The fraction of the delay, from 0 to 1, by which it varies randomly, so that many programs do not retry in step.
    public let jitter: Double
    /// The number of attempts in total, including the first one.
    public let attempts: Int

    private init(initialDelay: Duration, factor: Double, maximumDelay: Duration, jitter: Double, attempts: Int) {
        precondition(
            attempts > 0,
            "A Backoff needs at least 1 attempt, including the first one, but was given \(attempts)"
        )
        let shortest = min(initialDelay, maximumDelay)
        precondition(
            shortest >= .zero,
            "A Backoff cannot wait for \(shortest); pass a delay and a maximum delay of 0 or more"
        )
        precondition(factor >= 1 && factor.isFinite, "A Backoff needs a factor of 1 or more, but was given \(factor)")
        precondition((0...1).contains(jitter), "A Backoff needs a jitter from 0 to 1, but was given \(jitter)")
        self.initialDelay = initialDelay
        self.factor = factor
        self.maximumDelay = maximumDelay
        self.jitter = jitter
        self.attempts = attempts
    }

    /// Returns a backoff with the same delay after each attempt.
    public static func constant(_ delay: Duration, attempts: Int) -> Backoff {
        Backoff(initialDelay: delay, factor: 1, maximumDelay: delay, jitter: 0, attempts: attempts)
    }

    /// Returns a backoff with a delay that grows with each attempt.
    /// - Parameters:
    ///   - initialDelay: The delay after the first attempt.
    ///   - factor: The factor by which the delay grows, 1 or more.
    ///   - maximumDelay: The maximum delay, including jitter.
    ///   - jitter: The fraction of the delay by which it varies randomly, from 0 to 1.
    ///   - attempts: The number of attempts in total, 1 or more.
    public static func exponential(
        from initialDelay: Duration = .milliseconds(100),
        factor: Double = 2,
        maximumDelay: Duration = .seconds(30),
        jitter: Double = 0.2,
        attempts: Int
    ) -> Backoff {
        Backoff(
            initialDelay: initialDelay,
            factor: factor,
            maximumDelay: maximumDelay,
            jitter: jitter,
            attempts: attempts
        )
    }

    /// Returns the delay after a failed attempt, or nil if it was the last one.
    /// - Parameters:
    ///   - attempt: The number of the attempt, from 1.
    ///   - generator: The source of randomness. It is used once for each delay with jitter.
    /// - Complexity: O(*n*), where *n* is the smaller of `attempt` and the number of attempts until the delay has grown
    ///   to ``maximumDelay``.
    public func delay(after attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration? {
        guard attempt < attempts else { return nil }
        let delay = initialDelay.grown(by: factor, times: max(attempt, 1) - 1, atMost: maximumDelay)
        guard jitter > 0 else { return delay }
        return delay.scaled(by: 1 + jitter * Double.random(in: -1...1, using: &generator), atMost: maximumDelay)
    }
}

/// A generator of random numbers that can be reproduced from a seed (SplitMix64, Steele, Lea and Flood 2014). It is
/// suitable for jitter, and not for secrets.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator.
    package init(seed: UInt64) {
        state = seed
    }

    /// Returns the next random number.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
