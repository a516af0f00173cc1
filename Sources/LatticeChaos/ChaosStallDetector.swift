/// A detector that distinguishes late events from events that never end. Waiting continues while there is progress.
///
/// Progress is measured by a count, such as the number of events that have ended. The time is passed in.
struct ChaosStallDetector: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The reason why waiting stopped before all events had ended.
    enum Verdict: Codable, Equatable, Sendable {
        /// There was no progress for this time.
        case stalled(Duration)
        /// There was still progress after this time.
        case endless(Duration)
    }

    /// The maximum total waiting time, as a multiple of the patience.
    static let maximumPatience = 10

    /// The time without progress after which waiting stops. An event that ends later than this after the start is late.
    let patience: Duration
    private let start: Instant
    private var count = -1
    private var lastMovement: Instant
    /// The reason why waiting has stopped, or nil while it continues.
    private(set) var verdict: Verdict?

    init(patience: Duration, at now: Instant) {
        self.patience = patience
        start = now
        lastMovement = now
    }

    /// Checks whether there is progress.
    ///
    /// - Parameters:
    ///   - count: A number that grows with each progress.
    ///   - now: The current time.
    /// - Returns: Whether waiting is over. Once it is, it remains over.
    mutating func isOver(at count: Int, now: Instant) -> Bool {
        guard verdict == nil else { return true }
        if count != self.count { (self.count, lastMovement) = (count, now) }
        if lastMovement.duration(to: now) >= patience {
            verdict = .stalled(patience)
        } else if start.duration(to: now) >= patience * Self.maximumPatience {
            verdict = .endless(patience * Self.maximumPatience)
        }
        return verdict != nil
    }

    /// Returns whether an event that has not ended by now is late.
    func isLate(now: Instant) -> Bool { start.duration(to: now) >= patience }
}

extension ChaosStallDetector.Verdict: CustomStringConvertible {
    var description: String {
        switch self {
        case .stalled(let time): "there was no progress for \(time)"
        case .endless(let time): "there was still progress after \(time)"
        }
    }
}
