/// Distinguishes events that are late from events that never end: waiting continues as long as anything moves.
///
/// What moves is counted, such as the events that have ended. Time comes in as an argument.
struct ChaosStandstill: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// Why waiting has stopped before all had ended.
    enum Verdict: Codable, Equatable, Sendable {
        /// Nothing has moved for this long.
        case still(Duration)
        /// Something still moves after this long.
        case endless(Duration)
    }

    /// How many times the patience is waited for in all, however much moves.
    static let maximumPatience = 10

    /// The time without any movement after which waiting stops. What ends later than this after the start is late.
    let patience: Duration
    private let start: Instant
    private var count = -1
    private var lastMovement: Instant
    /// nil while waiting continues.
    private(set) var verdict: Verdict?

    init(patience: Duration, at now: Instant) {
        self.patience = patience
        start = now
        lastMovement = now
    }

    /// Looks whether anything has moved.
    ///
    /// - Parameter count: Grows with each movement.
    /// - Returns: Whether waiting is over. Once it is, it stays so.
    mutating func isOver(at count: Int, now: Instant) -> Bool {
        guard verdict == nil else { return true }
        if count != self.count { (self.count, lastMovement) = (count, now) }
        if lastMovement.duration(to: now) >= patience {
            verdict = .still(patience)
        } else if start.duration(to: now) >= patience * Self.maximumPatience {
            verdict = .endless(patience * Self.maximumPatience)
        }
        return verdict != nil
    }

    /// Whether an event that has not ended by now is late.
    func isLate(now: Instant) -> Bool { start.duration(to: now) >= patience }
}

extension ChaosStandstill.Verdict: CustomStringConvertible {
    var description: String {
        switch self {
        case .still(let time): "nothing had moved for \(time)"
        case .endless(let time): "after \(time) something still moved"
        }
    }
}
