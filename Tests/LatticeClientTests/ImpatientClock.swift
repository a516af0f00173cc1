import LatticeConcurrency

/// Notes what is waited for, and waits for nothing.
final class ImpatientClock: Clock {
    let now = ContinuousClock.now
    let minimumResolution = Duration.zero
    private let noted = Locked<[Duration]>([])

    var waits: [Duration] { noted.withLock(\.self) }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        noted.withLock { $0.append(now.duration(to: deadline)) }
    }
}
