import LatticeSession

/// The events that were applied since the last state that was released, to be applied again if the next one cannot be.
struct UnreleasedEvents {
    /// Without references, so that most events come and go here at no cost.
    struct Event {
        let number: UInt64
        let name: EventName
        fileprivate let action: Range<Int>
    }

    /// With more than this the state is encoded although it cannot be sent yet, so that this does not grow for ever.
    private static let maximumBytes = 1 << 20
    private static let maximumEvents = 4096
    /// A buffer up to this size is kept for the next events.
    private static let keptBytes = 64 * 1024

    private(set) var events: [Event] = []
    private var bytes: [UInt8] = []
    /// Those that somebody has cancelled.
    var cancelled: Set<UInt64> = []

    var isFull: Bool { bytes.count > Self.maximumBytes || events.count > Self.maximumEvents }

    mutating func append(_ event: borrowing IncomingEvent) {
        let start = bytes.count
        bytes.append(contentsOf: event.action)
        events.append(Event(number: event.number, name: event.name, action: start..<bytes.count))
    }

    /// Forgets the last one: it was not applied.
    mutating func removeLast() {
        let event = events.removeLast()
        bytes.removeLast(event.action.count)
    }

    func withAction<Result>(of event: Event, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[event.action])) }
    }

    mutating func removeAll() {
        guard !events.isEmpty else { return }
        events.removeAll(keepingCapacity: events.count <= Self.maximumEvents)
        if bytes.count <= Self.keptBytes { bytes.removeAll(keepingCapacity: true) } else { bytes = [] }
    }
}
