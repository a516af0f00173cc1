import Foundation
import LatticeConcurrency

/// Measures how late this process runs, on a thread of its own.
final class LatenessMeter: Sendable {
    private static let interval: Duration = .milliseconds(5)
    private let beats = Locked<[(time: ContinuousClock.Instant, lateness: Duration)]>([])
    private let isStopped = Locked(false)

    init() {
        Thread.detachNewThread { [self] in
            var last = ContinuousClock.now
            while !isStopped.withLock(\.self) {
                usleep(5_000)
                let now = ContinuousClock.now
                let lateness = last.duration(to: now) - Self.interval
                beats.withLock { $0.append((now, lateness)) }
                last = now
            }
        }
    }

    func stop() { isStopped.withLock { $0 = true } }

    /// Returns the largest lateness in a time, or of the first measurement after it.
    func worstLateness(from start: ContinuousClock.Instant, to end: ContinuousClock.Instant) -> Duration {
        beats.withLock { beats in
            let during = beats.filter { $0.time >= start && $0.time - $0.lateness <= end }
            return max(.zero, during.map(\.lateness).max() ?? .zero)
        }
    }
}
