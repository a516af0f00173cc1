import LatticeSession

/// The events that were applied since the last state that was released, to be applied again if the next one cannot be.
struct UnreleasedEvents {
    /// Without references but an empty list, so that most events come and go here at no cost.
    struct Event {
        let number: UInt64
        let name: EventName
        let terms: EventMetadata
        /// Where it is among the bytes of all actions since `forgotten` was 0.
        fileprivate let action: Range<Int>
    }

    /// With more than this the state is encoded although it cannot be sent yet, so that this does not grow for ever.
    private static let maximumBytes = 1 << 20
    private static let maximumEvents = 4096
    /// A buffer up to this size is kept for the next events.
    private static let keptBytes = 64 * 1024

    private(set) var events: [Event] = []
    private var bytes: [UInt8] = []
    /// How many bytes of actions went before those.
    private var forgotten = 0
    /// How many of the events belong to a state that is being encoded.
    private var marked = 0
    /// Those that somebody has cancelled.
    var cancelled: Set<UInt64> = []

    var isFull: Bool { bytes.count > Self.maximumBytes || events.count > Self.maximumEvents }

    mutating func append(_ event: borrowing IncomingEvent) {
        let start = forgotten + bytes.count
        bytes.append(contentsOf: event.action)
        let action = start..<(forgotten + bytes.count)
        events.append(Event(number: event.number, name: event.name, terms: event.terms, action: action))
    }

    /// Forgets the last one: it was not applied.
    mutating func removeLast() {
        let event = events.removeLast()
        bytes.removeLast(event.action.count)
    }

    func withAction<Result>(of event: Event, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let (start, end) = (event.action.lowerBound - forgotten, event.action.upperBound - forgotten)
        return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
    }

    /// The events that are here belong to a state that is being encoded.
    mutating func mark() {
        marked = events.count
    }

    /// Forgets those.
    mutating func removeMarked() {
        guard marked < events.count else { return removeAll() }
        let kept = events[marked].action.lowerBound
        events.removeFirst(marked)
        bytes.removeFirst(kept - forgotten)
        forgotten = kept
        marked = 0
    }

    mutating func removeAll() {
        marked = 0
        forgotten = 0
        guard !events.isEmpty else { return }
        events.removeAll(keepingCapacity: events.count <= Self.maximumEvents)
        if bytes.count <= Self.keptBytes { bytes.removeAll(keepingCapacity: true) } else { bytes = [] }
    }
}
