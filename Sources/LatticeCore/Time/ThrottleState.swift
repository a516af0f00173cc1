/// The state of a throttle for one key. The current time is passed as an argument.
///
/// - `open`: No period is running.
/// - `closed`: A period is running, and no call waits for its end.
/// - `waiting`: A call waits for the end of the period.
struct ThrottleState<Instant: InstantProtocol>: Sendable {
    enum Decision: Equatable {
        /// Run now.
        case run
        /// Wait for the end of the period, in place of the call that has waited so far.
        case wait(until: Instant, insteadOf: UInt64?)
        /// Do not run.
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

    /// Handles a new call.
    mutating func callArrived(_ ticket: UInt64, at now: Instant) -> Decision {
        switch phase {
        case .open:
            return begin(ticket, at: now)
        case .closed(let end):
            if now >= end { return begin(ticket, at: now) }
            if edges.value == .leading { return .skip }
            phase = .waiting(ticket: ticket, until: end)
            return .wait(until: end, insteadOf: nil)
        case .waiting(let other, let end):
            // This is also the case if the period has ended and the other call has not woken up yet. The end of the
            // period stays the same, so one of the calls runs.
            phase = .waiting(ticket: ticket, until: end)
            return .wait(until: end, insteadOf: other)
        }
    }

    /// Handles the end of the period for a call that has waited for it.
    /// - Returns: Whether the call runs. It does not run if another one has replaced it.
    mutating func waitEnded(_ ticket: UInt64, at now: Instant) -> Bool {
        guard case .waiting(ticket, _) = phase else { return false }
        phase = edges.value == .both ? .closed(until: now.advanced(by: duration)) : .open
        return true
    }

    /// Handles a waiting call that was cancelled.
    mutating func waitCancelled(_ ticket: UInt64) {
        guard case .waiting(ticket, let end) = phase else { return }
        phase = .closed(until: end)
    }

    /// Whether this state is equivalent to a new one.
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

/// The calls within one period of a throttle that run.
public struct ThrottleEdges: Sendable, Hashable, CustomStringConvertible {
    enum Value: String { case leading, trailing, both }
    let value: Value

    /// The first call runs at once, and the others are skipped.
    public static let leading = ThrottleEdges(value: .leading)
    /// The last call runs when the period, which the first call started, has ended.
    public static let trailing = ThrottleEdges(value: .trailing)
    /// The first call runs at once, and the last of the others runs at the end of the period, which starts the next
    /// period.
    public static let both = ThrottleEdges(value: .both)

    /// The name of the value: "leading", "trailing" or "both".
    public var description: String { value.rawValue }
}

/// The limits that bound the memory of a throttle.
enum ThrottleLimits {
    /// The number of periods that may be kept after their end. Removing them at every call would cost more than they
    /// do.
    static let periodsBeforeSweep = 64
}
