/// What a throttle knows of the calls under one key. Time comes in as an argument.
///
/// - `open`: no period runs.
/// - `closed`: a period runs, nothing waits for its end.
/// - `waiting`: a call waits for the end of the period.
struct ThrottleState<Instant: InstantProtocol>: Sendable {
    enum Decision: Equatable {
        case run
        /// Wait, instead of the call that has waited so far.
        case wait(until: Instant, insteadOf: UInt64?)
        case skip
    }

    private enum Phase: Equatable {
        case open
        case closed(until: Instant)
        case waiting(ticket: UInt64, until: Instant)
    }

    private let duration: Instant.Duration
    private let edges: ThrottleEdges
    private var phase = Phase.open

    init(for duration: Instant.Duration, edges: ThrottleEdges) {
        self.duration = duration
        self.edges = edges
    }

    /// A call comes.
    mutating func came(_ ticket: UInt64, at now: Instant) -> Decision {
        switch phase {
        case .open:
            return begin(ticket, at: now)
        case .closed(let end):
            if now >= end { return begin(ticket, at: now) }
            if edges.value == .leading { return .skip }
            phase = .waiting(ticket: ticket, until: end)
            return .wait(until: end, insteadOf: nil)
        case .waiting(let other, let end):
            // Also when the period is over and the other one has not woken up yet: the end stays where it was, so
            // somebody does run.
            phase = .waiting(ticket: ticket, until: end)
            return .wait(until: end, insteadOf: other)
        }
    }

    /// The period is over that a call has waited for.
    /// - Returns: whether the call runs; it does not if another one took its place.
    mutating func woke(_ ticket: UInt64, at now: Instant) -> Bool {
        guard case .waiting(ticket, _) = phase else { return false }
        phase = edges.value == .both ? .closed(until: now.advanced(by: duration)) : .open
        return true
    }

    /// A call waits no more.
    mutating func gaveUp(_ ticket: UInt64) {
        guard case .waiting(ticket, let end) = phase else { return }
        phase = .closed(until: end)
    }

    /// Whether a new state would do as well.
    func isOver(at now: Instant) -> Bool {
        switch phase {
        case .open: true
        case .closed(let end): now >= end
        case .waiting: false
        }
    }

    private mutating func begin(_ ticket: UInt64, at now: Instant) -> Decision {
        let end = now.advanced(by: duration)
        if edges.value == .trailing {
            phase = .waiting(ticket: ticket, until: end)
            return .wait(until: end, insteadOf: nil)
        }
        phase = .closed(until: end)
        return .run
    }
}

/// Which of the calls within one period of a throttle run.
public struct ThrottleEdges: Sendable, Hashable, CustomStringConvertible {
    enum Value: String { case leading, trailing, both }
    let value: Value

    /// The first one, at once; the others are skipped.
    public static let leading = ThrottleEdges(value: .leading)
    /// The last one, when the period that the first one has begun is over.
    public static let trailing = ThrottleEdges(value: .trailing)
    /// The first one, at once, and the last of the others when the period is over; that begins the next period.
    public static let both = ThrottleEdges(value: .both)

    public var description: String { value.rawValue }
}

/// What keeps a throttle small.
enum ThrottleLimits {
    /// Periods that may be kept although they are over. Looking at each for every call would cost more than they do.
    static let periodsBeforeSweep = 64
}
