import Glibc
import LatticeConcurrency

/// Measures how late a thread of this process continues while other processes use the processors. The thread is its
/// own, so that tasks that block the runtime's threads delay nothing here.
final class WakeDelay: Sendable {
    private static let microseconds: UInt32 = 20_000
    private static let interval: Duration = .microseconds(microseconds)

    /// The patience grows with the delay, to this many times itself at most, so that one long delay excuses no others.
    private static let maximumGrowth = 4

    private let longest = Locked(Duration.zero)
    private let ending = OneShot<Void>()
    private let ended = OneShot<Void>()

    /// The patience with limits on a machine that is this late.
    static func patience(_ patience: Duration, with delay: Duration) -> Duration {
        patience + min(delay * 4, patience * maximumGrowth)
    }

    /// Begins to measure.
    ///
    /// - Throws: `SystemThread.NoRoom` if the system refuses the thread.
    func start() throws {
        try SystemThread.start(name: "lattice-delay") { [self] in
            while !ending.isComplete {
                let end = ContinuousClock.now + Self.interval
                usleep(Self.microseconds)
                let delay = end.duration(to: .now)
                longest.withLock { $0 = max($0, delay) }
            }
            ended.complete()
        }
    }

    /// Ends measuring, and returns the longest delay when the thread has ended.
    func stop() async -> Duration {
        ending.complete()
        await ended.wait()
        return longest.withLock(\.self)
    }
}
