import DequeModule
import LatticeWire

/// The received elements of a stream that have not been read yet. It does no I/O. ``CallRegistry`` checks that no more
/// elements arrive than were granted.
///
/// - `open`: elements arrive.
/// - `abandoned`: the reader has given up, and arriving elements are dropped.
/// - `ended`: no more elements arrive. The received elements can still be read, unless the stream was abandoned before.
struct ElementBuffer {
    private enum Phase {
        case open
        case abandoned
        case ended(CallOutcome)
    }

    enum Step {
        /// Encoded elements, one after the other, and the number of bytes to grant now, which may be 0.
        case take([UInt8], credit: Int)
        case wait
        case end(CallOutcome)
    }

    private var phase = Phase.open
    private var waiting: Deque<[UInt8]> = []
    /// The number of bytes that were read and have not been granted again.
    private var taken = 0

    mutating func receive(_ elements: [UInt8]) {
        if case .open = phase, !elements.isEmpty { waiting.append(elements) }
    }

    mutating func end(_ outcome: CallOutcome) {
        phase = .ended(outcome)
    }

    /// Stops keeping elements, because the reader has given up.
    ///
    /// - Returns: Whether the stream had not ended.
    mutating func abandon() -> Bool {
        waiting = []
        guard case .open = phase else { return false }
        phase = .abandoned
        return true
    }

    /// Whether `next` would return `wait`.
    var isEmpty: Bool {
        if case .ended = phase { false } else { waiting.isEmpty }
    }

    mutating func next() -> Step {
        guard let elements = waiting.popFirst() else {
            if case .ended(let outcome) = phase { return .end(outcome) }
            return .wait
        }
        taken += elements.count
        // Credit is granted in large amounts, because each grant costs a message.
        guard case .open = phase, taken >= CallLimits.streamWindow / 2 else { return .take(elements, credit: 0) }
        defer { taken = 0 }
        return .take(elements, credit: taken)
    }
}
