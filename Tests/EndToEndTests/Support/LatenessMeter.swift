import Foundation
import LatticeConcurrency

/// Measures how late this process runs: on a thread of its own, and on the main actor, which all tests share.
final class LatenessMeter: Sendable {
    private typealias Beats = [(time: ContinuousClock.Instant, lateness: Duration)]

    private static let interval: Duration = .milliseconds(5)
    private let beats = Locked<Beats>([])
    private let mainBeats = Locked<(all: Beats, isAsked: Bool)>(([], false))
    private let isStopped = Locked(false)

    init() {
        Thread.detachNewThread { [self] in
            var last = ContinuousClock.now
            while !isStopped.withLock(\.self) {
                usleep(5_000)
                let now = ContinuousClock.now
                let lateness = last.duration(to: now) - Self.interval
                beats.withLock { $0.append((now, lateness)) }
                askMainActor(at: now)
                last = now
            }
        }
    }

    func stop() { isStopped.withLock { $0 = true } }

    /// Returns the largest lateness in a time, or of the first measurement after it.
    func worstLateness(from start: ContinuousClock.Instant, to end: ContinuousClock.Instant) -> Duration {
        Self.worst(of: beats.withLock(\.self), from: start, to: end)
    }

    /// Returns the largest time that something had to wait for the main actor in a time.
    func worstMainActorLateness(from start: ContinuousClock.Instant, to end: ContinuousClock.Instant) -> Duration {
        Self.worst(of: mainBeats.withLock(\.all), from: start, to: end)
    }

    /// Lets the main actor run something, unless it has not run the last one yet.
    private func askMainActor(at asked: ContinuousClock.Instant) {
        let isFree = mainBeats.withLock { beats in
            defer { beats.isAsked = true }
            return !beats.isAsked
        }
        guard isFree else { return }
        Task { @MainActor in
            let now = ContinuousClock.now
            mainBeats.withLock { beats in
                beats.all.append((now, asked.duration(to: now)))
                beats.isAsked = false
            }
        }
    }

    private static func worst(
        of beats: Beats,
        from start: ContinuousClock.Instant,
        to end: ContinuousClock.Instant
    ) -> Duration {
        let during = beats.filter { $0.time >= start && $0.time - $0.lateness <= end }
        return max(.zero, during.map(\.lateness).max() ?? .zero)
    }
}
