import LatticeConcurrency

/// Counts what is being answered, until the work for it has ended: whoever asks may be gone before.
package final class ConcurrencyLimiter: Sendable {
    private let maximum: Int
    private let count = Locked(0)

    package init(maximum: Int) {
        self.maximum = maximum
    }

    /// - Returns: Whether one more may be; then `end` follows.
    package func begin() -> Bool {
        count.withLock { count in
            guard count < maximum else { return false }
            count += 1
            return true
        }
    }

    package func end() {
        count.withLock { $0 -= 1 }
    }
}
