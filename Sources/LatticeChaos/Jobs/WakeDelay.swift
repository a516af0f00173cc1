import LatticeConcurrency

/// Measures how late the tasks of this process continue while other processes use the processors.
final class WakeDelay: Sendable {
    private static let interval: Duration = .milliseconds(20)

    private let longest = Locked(Duration.zero)

    /// The longest delay that was measured.
    var value: Duration { longest.withLock(\.self) }

    /// Measures until the task is cancelled.
    func measure() async {
        while !Task.isCancelled {
            let end = ContinuousClock.now + Self.interval
            do { try await ContinuousClock().sleep(until: end) } catch { return }
            let delay = end.duration(to: .now)
            longest.withLock { $0 = max($0, delay) }
        }
    }
}
