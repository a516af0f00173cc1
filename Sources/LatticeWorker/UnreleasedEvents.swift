import LatticeSession

/// The events that were applied since the last released state. They are applied again if the next state cannot be
/// released.
struct UnreleasedEvents {
    /// An event. It holds no references except an empty list, so that adding and removing most events costs nothing.
    struct Event {
        let number: UInt64
        let name: EventName
        let metadata: EventMetadata
        /// The position of its action among the bytes of all actions since `forgotten` was 0.
        fileprivate let action: Range<Int>
    }

    /// The maximum size of the actions in bytes. If there are more, the state is encoded although it cannot be sent
    /// yet, so that this list does not grow without bound.
    private static let maximumBytes = 1 << 20
    /// The maximum number of events, with the same effect.
    private static let maximumEvents = 4096
    /// The maximum size in bytes of a buffer that is kept for the next events.
    private static let keptBytes = 64 * 1024

    private(set) var events: [Event] = []
    private var bytes: [UInt8] = []
    /// The number of bytes of the actions that were removed from the front.
    private var forgotten = 0
    /// The number of events that belong to a state that is being encoded.
    private var marked = 0
    /// The numbers of the events that were cancelled.
    var cancelled: Set<UInt64> = []

    /// A Boolean value that indicates whether the state is to be encoded so that the events can be removed.
    var isFull: Bool { bytes.count > Self.maximumBytes || events.count > Self.maximumEvents }

    mutating func append(_ event: borrowing IncomingEvent) {
        let start = forgotten + bytes.count
        bytes.append(contentsOf: event.action)
        let action = start..<(forgotten + bytes.count)
        events.append(Event(number: event.number, name: event.name, metadata: event.metadata, action: action))
    }

    /// Removes the last event, because it was not applied.
    mutating func removeLast() {
        let event = events.removeLast()
        bytes.removeLast(event.action.count)
    }

    func withAction<Result>(of event: Event, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let (start, end) = (event.action.lowerBound - forgotten, event.action.upperBound - forgotten)
        return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
    }

    /// Notes that all current events belong to a state that is being encoded.
    mutating func mark() {
        marked = events.count
    }

    /// Removes the events that were marked.
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
