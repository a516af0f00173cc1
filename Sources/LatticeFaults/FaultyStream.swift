/// One direction of a connection with faults: a state machine that says what to do with the bytes that come next.
struct FaultyStream {
    enum Step: Equatable {
        /// So many bytes move as they are.
        case move(Int)
        /// Nothing moves for so long.
        case stall(Duration)
        /// The connection breaks here.
        case cut
        /// Something happens to the process at the other end; then the next step is asked for.
        case afflict(Affliction)
    }

    /// What happens to a process.
    enum Affliction: Equatable {
        case kill
        case pause(Duration)
    }

    /// Nothing moves any more.
    private var isCut = false
    /// How many bytes have moved.
    private var place: UInt64 = 0
    /// What happens at one place, still to come: the next one is the last.
    private var events: [ConnectionFault]
    private var splits: [Split]
    /// What has happened, and was not asked for yet.
    private var struck: [ConnectionFault] = []

    private struct Split {
        let fault: ConnectionFault
        let range: Range<UInt64>
        let piece: Int
        var hasStruck = false
    }

    /// - Parameter connection: Which one, of those that the plan is for.
    init(_ plan: FaultPlan, _ direction: ConnectionFault.Direction, of connection: Int) {
        let faults = plan.faults.compactMap { fault -> ConnectionFault? in
            guard case .connection(let fault) = fault, fault.direction == direction, fault.connection == connection
            else { return nil }
            return fault
        }
        splits = faults.compactMap { fault in
            guard case .split(let piece, let length) = fault.kind else { return nil }
            let (end, overflow) = fault.place.addingReportingOverflow(UInt64(max(length, 1)))
            return Split(fault: fault, range: fault.place..<(overflow ? .max : end), piece: max(piece, 1))
        }
        let events = faults.filter { if case .split = $0.kind { false } else { true } }.enumerated()
        self.events = events.sorted { ($0.element.place, $0.offset) > ($1.element.place, $1.offset) }.map(\.element)
    }

    /// - Parameter count: Of the bytes that come next, 1 or more.
    mutating func next(_ count: Int) -> Step {
        guard !isCut else { return .cut }
        var count = count
        if let event = events.last {
            if event.place <= place, let step = take(events.removeLast()) { return step }
            if event.place > place { count = min(count, Int(clamping: event.place - place)) }
        }
        for index in splits.indices {
            let range = splits[index].range
            if range.contains(place) {
                if !splits[index].hasStruck { struck.append(splits[index].fault) }
                splits[index].hasStruck = true
                count = min(count, splits[index].piece)
            } else if range.lowerBound > place {
                count = min(count, Int(clamping: range.lowerBound - place))
            }
        }
        return .move(count)
    }

    private mutating func take(_ event: ConnectionFault) -> Step? {
        struck.append(event)
        switch event.kind {
        case .stall(let duration): return .stall(duration)
        case .kill: return .afflict(.kill)
        case .pause(let duration): return .afflict(.pause(duration))
        case .cut:
            isCut = true
            return .cut
        case .split: return nil
        }
    }

    /// The faults that have happened since this was last asked.
    mutating func takeStruck() -> [ConnectionFault] {
        defer { struck = [] }
        return struck
    }

    /// So many bytes have moved, at most as many as ``next(_:)`` allowed.
    mutating func moved(_ count: Int) {
        place += UInt64(count)
    }
}
