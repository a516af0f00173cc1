/// The state machine of one direction of a connection with faults. It decides what happens to the next bytes.
struct FaultyStream {
    /// What happens next.
    enum Step: Equatable {
        /// This number of bytes moves unchanged.
        case move(Int)
        /// Nothing moves for this time.
        case stall(Duration)
        /// The connection breaks.
        case cut
        /// The process at the other end is killed or paused. Then the next step is requested.
        case afflict(Affliction)
    }

    /// What happens to a process.
    enum Affliction: Equatable {
        case kill
        case pause(Duration)
    }

    /// A Boolean value that indicates whether the connection is broken.
    private var isCut = false
    /// The number of bytes that have moved.
    private var place: UInt64 = 0
    /// The faults at a single place that are still to come. The next one is the last element.
    private var events: [ConnectionFault]
    private var splits: [Split]
    /// The faults that have happened since they were last requested.
    private var struck: [ConnectionFault] = []

    private struct Split {
        let fault: ConnectionFault
        let range: Range<UInt64>
        let piece: Int
        var hasStruck = false
    }

    /// Creates the state machine.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - direction: The direction.
    ///   - connection: The number of the connection in the plan.
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

    /// Decides what happens to the next bytes.
    ///
    /// - Parameter count: The number of bytes, at least 1.
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

    /// Returns the faults that have happened since the last call.
    mutating func takeStruck() -> [ConnectionFault] {
        defer { struck = [] }
        return struck
    }

    /// Reports that bytes have moved, at most as many as ``next(_:)`` allowed.
    mutating func moved(_ count: Int) {
        place += UInt64(count)
    }
}
