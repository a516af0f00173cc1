import LatticeCore

/// The events that were applied since the last state that could be encoded, to be applied again if the next one cannot.
struct UnsecuredEvents {
    struct Event {
        let number: UInt64
        let identity: EventID
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

    var isEmpty: Bool { events.isEmpty }
    var isFull: Bool { bytes.count > Self.maximumBytes || events.count > Self.maximumEvents }

    mutating func append(_ number: UInt64, _ identity: EventID, _ action: UnsafeRawBufferPointer) {
        let start = bytes.count
        bytes.append(contentsOf: action)
        events.append(Event(number: number, identity: identity, action: start..<bytes.count))
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
