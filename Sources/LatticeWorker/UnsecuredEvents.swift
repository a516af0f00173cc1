import LatticeCore

/// The events that were applied since the last state that could be encoded, to be applied again if the next one cannot.
struct UnsecuredEvents {
    /// Without references, so that most events come and go here at no cost.
    struct Event {
        let number: UInt64
        /// Its number where it was sent first, and who sent it there.
        fileprivate let sentNumber: UInt64
        fileprivate let origin: Int
        fileprivate let action: Range<Int>
    }

    /// With more than this the state is encoded although it cannot be sent yet, so that this does not grow for ever.
    private static let maximumBytes = 1 << 20
    private static let maximumEvents = 4096
    /// A buffer up to this size is kept for the next events.
    private static let keptBytes = 64 * 1024

    private(set) var events: [Event] = []
    /// Whose events they are: one for each run of events of the same.
    private var origins: [EventOrigin] = []
    private var bytes: [UInt8] = []
    /// Those that somebody has cancelled.
    var cancelled: Set<UInt64> = []

    var isEmpty: Bool { events.isEmpty }
    var isFull: Bool { bytes.count > Self.maximumBytes || events.count > Self.maximumEvents }

    mutating func append(_ number: UInt64, _ identity: EventID, _ action: UnsafeRawBufferPointer) {
        let start = bytes.count
        bytes.append(contentsOf: action)
        if origins.last !== identity.origin { origins.append(identity.origin) }
        events.append(
            Event(
                number: number,
                sentNumber: identity.number,
                origin: origins.count - 1,
                action: start..<bytes.count
            )
        )
    }

    /// Forgets the last one: it was not applied.
    mutating func removeLast() {
        let event = events.removeLast()
        bytes.removeLast(event.action.count)
    }

    func identity(of event: Event) -> EventID {
        EventID(origin: origins[event.origin], number: event.sentNumber)
    }

    func withAction<Result>(of event: Event, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[event.action])) }
    }

    mutating func removeAll() {
        guard !events.isEmpty else { return }
        events.removeAll(keepingCapacity: events.count <= Self.maximumEvents)
        origins.removeAll(keepingCapacity: origins.count <= Self.maximumEvents)
        if bytes.count <= Self.keptBytes { bytes.removeAll(keepingCapacity: true) } else { bytes = [] }
    }
}
