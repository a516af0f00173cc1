/// One direction of a connection with faults: a state machine that says what to do with the bytes that come next.
struct FaultyStream {
    enum Step: Equatable {
        /// So many bytes move as they are.
        case move(Int)
        /// Nothing moves for so long.
        case stall(milliseconds: Int)
        /// The connection breaks here.
        case cut
    }

    private enum State {
        case moving
        /// What stands still is not asked for again.
        case broken
    }

    private var state = State.moving
    /// How many bytes have moved.
    private var place: UInt64 = 0
    /// Stalls and cuts that are to come, by their places.
    private var events: [ConnectionFault]
    private let splits: [(range: Range<UInt64>, piece: Int)]

    init(_ plan: FaultPlan, _ direction: ConnectionFault.Direction) {
        let faults = plan.faults.filter { $0.direction == direction }
        splits = faults.compactMap { fault in
            guard case .split(let piece, let length) = fault.kind else { return nil }
            return (fault.place..<fault.place + UInt64(max(length, 1)), max(piece, 1))
        }
        // The next one is the last.
        events = faults.filter { if case .split = $0.kind { false } else { true } }.sorted { $0.place > $1.place }
    }

    /// - Parameter count: Of the bytes that come next, 1 or more.
    mutating func next(_ count: Int) -> Step {
        if case .broken = state { return .cut }
        var count = count
        if let event = events.last {
            if event.place <= place {
                events.removeLast()
                guard case .stall(let milliseconds) = event.kind else {
                    state = .broken
                    return .cut
                }
                return .stall(milliseconds: milliseconds)
            }
            count = min(count, Int(clamping: event.place - place))
        }
        for (range, piece) in splits {
            if range.contains(place) {
                count = min(count, piece)
            } else if range.lowerBound > place {
                count = min(count, Int(clamping: range.lowerBound - place))
            }
        }
        return .move(count)
    }

    /// So many bytes have moved, at most as many as ``next(_:)`` allowed.
    mutating func moved(_ count: Int) {
        place += UInt64(count)
    }
}
