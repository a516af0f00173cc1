import DequeModule
import LatticeWire

/// The elements of a stream that have come and that nobody has taken yet. It does no I/O; that no more come than were
/// granted is looked after by ``CallRegistry``.
///
/// - `open`: elements come.
/// - `abandoned`: nobody takes any more; what comes is dropped.
/// - `ended`: none comes any more. What has come is taken all the same, unless it was abandoned before.
struct ElementBuffer {
    private enum Phase {
        case open
        case abandoned
        case ended(ActorReply)
    }

    enum Step {
        /// Encoded elements, one behind the other. `credit`: so many bytes are to be granted now; 0: none.
        case take([UInt8], credit: Int)
        case wait
        case end(ActorReply)
    }

    private var phase = Phase.open
    private var waiting: Deque<[UInt8]> = []
    /// What was taken and not granted again.
    private var taken = 0

    mutating func receive(_ elements: [UInt8]) {
        if case .open = phase, !elements.isEmpty { waiting.append(elements) }
    }

    mutating func end(_ reply: ActorReply) {
        phase = .ended(reply)
    }

    /// Nobody takes elements any more.
    ///
    /// - Returns: Whether the stream had not ended.
    mutating func abandon() -> Bool {
        waiting = []
        guard case .open = phase else { return false }
        phase = .abandoned
        return true
    }

    /// Whether `next` is to wait.
    var isEmpty: Bool {
        if case .ended = phase { false } else { waiting.isEmpty }
    }

    mutating func next() -> Step {
        guard let elements = waiting.popFirst() else {
            if case .ended(let reply) = phase { return .end(reply) }
            return .wait
        }
        taken += elements.count
        // In large portions: each costs the other side a message.
        guard case .open = phase, taken >= CallLimits.streamWindow / 2 else { return .take(elements, credit: 0) }
        defer { taken = 0 }
        return .take(elements, credit: taken)
    }
}
