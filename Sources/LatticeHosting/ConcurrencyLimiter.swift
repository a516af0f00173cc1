import LatticeConcurrency

/// A limit on the number of answers that are computed at a time. An answer counts until its computation has ended, even
/// if the caller has disconnected before.
package final class ConcurrencyLimiter: Sendable {
    private let maximum: Int
    private let count = Locked(0)

    /// Creates a limiter.
    ///
    /// - Parameter maximum: The maximum number of concurrent answers.
    package init(maximum: Int) {
        self.maximum = maximum
    }

    /// Begins an answer if the limit allows it.
    ///
    /// - Returns: Whether the answer may begin. If so, the caller must call `end()` afterwards.
    package func begin() -> Bool {
        count.withLock { count in
            guard count < maximum else { return false }
            count += 1
            return true
        }
    }

    /// Ends an answer.
    package func end() {
        count.withLock { $0 -= 1 }
    }
}
