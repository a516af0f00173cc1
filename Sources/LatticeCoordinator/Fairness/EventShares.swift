import DequeModule

/// The state machine that divides the room for events at one instance among its clients. It performs no I/O.
///
/// An event is open from its acceptance until its end. An open event waits until it is sent to the worker. It is then
/// in flight until the worker has acknowledged it. Two rules apply:
///
/// - An event is accepted if its client has fewer open events than its maximum, and fewer than are still free for all
///   clients. A few events of each client are always accepted.
/// - An accepted event is sent at once, unless its client already has the maximum number of events in flight. Then it
///   waits. When events are acknowledged, the clients with waiting events take turns, one event at a time.
///
/// An event therefore finds at most ``ShareLimits/maximumInFlight`` events of another client in front of it, whatever
/// that client has sent. While several clients send, it finds at most ``ShareLimits/maximumInFlightUnderContention``
/// events of each.
struct EventShares<Event> {
    typealias Slot = Int

    /// The decision about an event that arrived.
    enum Admission: Equatable {
        /// The event is in flight. Send it, and report its number with `sent`.
        case send
        /// The event waits. `place` identifies it until it is sent.
        case wait(place: UInt64)
        /// The event is rejected, for this reason.
        case reject(String)
    }

    /// The presence of a client.
    private enum Presence {
        /// The client is connected, or it may come back.
        case present
        /// The client is gone permanently. Its open events may end on their own.
        case gone
        /// The client is gone permanently. Its open events are being cancelled.
        case cancelled
    }

    private struct Waiting {
        let place: UInt64
        let bytes: Int
        /// The event, or nil if it was withdrawn.
        var event: Event?
    }

    private struct Share {
        var open = 0
        /// The bytes of the events that are not acknowledged.
        var bytes = 0
        var inFlight = 0
        /// The waiting events, in ascending order of their places.
        var waiting: Deque<Waiting> = []
        var withdrawn = 0
        var isReady = false
        var presence = Presence.present
    }

    private let limits: ShareLimits
    private var shares: [Share?] = []
    private var free: [Slot] = []
    /// The events in flight, in ascending order of their numbers.
    private var inFlight: Deque<(number: UInt64, slot: Slot, bytes: Int)> = []
    private var inFlightCount = 0
    private var inFlightBytes = 0
    /// The clients whose next event can be sent, in the order in which they take turns.
    private var readyClients: Deque<Slot> = []
    private var lastPlace: UInt64 = 0
    /// The number of accepted events, the client of the newest one, and the number of the newest event of another
    /// client.
    private var taken: UInt64 = 0
    private var newest: Slot?
    private var newestOfOthers: UInt64?
    /// The number of open events of all clients.
    private(set) var open = 0
    private var bytes = 0
    /// The clients that are gone permanently, in the order in which they left, and the number of their open events.
    private var goneClients: Deque<Slot> = []
    private var goneClientsOpen = 0

    init(limits: ShareLimits = ShareLimits()) {
        self.limits = limits
    }

    // MARK: Clients

    /// Adds a client and returns its slot.
    mutating func join() -> Slot {
        if let slot = free.popLast() {
            shares[slot] = Share()
            return slot
        }
        shares.append(Share())
        return shares.count - 1
    }

    /// Removes a client that sends no more events and has no open ones.
    mutating func leave(_ slot: Slot) {
        shares[slot] = nil
        free.append(slot)
    }

    /// Marks a client as permanently gone. Its open events continue. All clients that are gone share the room of one
    /// client, so that they do not exclude present clients.
    ///
    /// - Returns: The clients whose events must be cancelled to keep this limit, in the order in which they left.
    mutating func markGone(_ slot: Slot) -> [Slot] {
        guard let share = shares[slot], share.presence == .present, share.open > 0 else { return [] }
        shares[slot]?.presence = .gone
        goneClients.append(slot)
        goneClientsOpen += share.open
        var over: [Slot] = []
        while goneClientsOpen > limits.maximumEventsPerClient || open > limits.maximumEvents,
            let first = goneClients.popFirst()
        {
            goneClientsOpen -= shares[first]?.open ?? 0
            shares[first]?.presence = .cancelled
            over.append(first)
        }
        return over
    }

    /// Marks a client as present again.
    mutating func markPresent(_ slot: Slot) {
        if shares[slot]?.presence == .gone { forgetGone(slot) }
        shares[slot]?.presence = .present
    }

    private mutating func forgetGone(_ slot: Slot) {
        goneClients.removeAll { $0 == slot }
        goneClientsOpen -= shares[slot]?.open ?? 0
    }

    // MARK: Events

    /// Decides about an event that arrived.
    mutating func admit(_ event: Event, bytes: Int, of slot: Slot) -> Admission {
        if let reason = refusal(of: bytes, slot) { return .reject(reason) }
        note(slot)
        open += 1
        self.bytes += bytes
        shares[slot]?.open += 1
        shares[slot]?.bytes += bytes
        if maySendAtOnce(slot), hasInFlightRoom(for: bytes) {
            addInFlight(slot, bytes)
            return .send
        }
        lastPlace += 1
        shares[slot]?.waiting.append(Waiting(place: lastPlace, bytes: bytes, event: event))
        markReady(slot)
        return .wait(place: lastPlace)
    }

    private mutating func note(_ slot: Slot) {
        if let newest, newest != slot { newestOfOthers = taken }
        newest = slot
        taken += 1
    }

    /// The maximum number of events in flight for one client at present.
    private var maximumInFlight: Int {
        guard let newestOfOthers, taken - newestOfOthers < limits.contentionWindow else {
            return limits.maximumInFlight
        }
        return min(limits.maximumInFlight, limits.maximumInFlightUnderContention)
    }

    // Reading a share and changing it are separate functions. Holding a copy of a share while changing it would copy
    // all of its waiting events.

    private func refusal(of bytes: Int, _ slot: Slot) -> String? {
        guard let share = shares[slot] else { preconditionFailure("A client joins before it sends.") }
        if share.open >= limits.guaranteedEvents {
            guard share.open < limits.maximumEventsPerClient else {
                return
                    "\(share.open) events of this client have not ended, the maximum for one client. Wait until some of"
                    + " them end."
            }
            guard share.open < limits.maximumEvents - open else {
                return
                    "\(open) events of all clients have not ended, \(share.open) of them from this client. A client can"
                    + " have at most as many events as are left. Wait until some of them end."
            }
        }
        if share.bytes + bytes > limits.guaranteedBytes, share.bytes + bytes > limits.maximumBytes - self.bytes {
            return
                "\(self.bytes) bytes of events of all clients wait to be acknowledged, \(share.bytes) of them from this"
                + " client. A client can have at most as many bytes as are left. Wait until some of the events end."
        }
        return nil
    }

    /// Whether no event is in front of the client's next one and the client has room in flight.
    private func maySendAtOnce(_ slot: Slot) -> Bool {
        guard let share = shares[slot] else { return false }
        return readyClients.isEmpty && share.waiting.isEmpty && share.inFlight < maximumInFlight
    }

    private func hasInFlightRoom(for bytes: Int) -> Bool {
        inFlightCount == 0 || inFlightBytes + bytes <= limits.maximumInFlightBytes
    }

    private mutating func addInFlight(_ slot: Slot, _ bytes: Int) {
        shares[slot]?.inFlight += 1
        inFlightCount += 1
        inFlightBytes += bytes
    }

    /// Records the number under which an event was sent. It is higher than all earlier ones. If it is nil, the channel
    /// did not accept the event.
    mutating func sent(_ slot: Slot, bytes: Int, as number: UInt64?) {
        guard let number else { return acknowledged(slot, bytes) }
        inFlight.append((number, slot, bytes))
    }

    /// Records that the worker has acknowledged all events up to this number.
    mutating func acknowledge(through number: UInt64) {
        while let first = inFlight.first, first.number <= number {
            inFlight.removeFirst()
            acknowledged(first.slot, first.bytes)
        }
    }

    private mutating func acknowledged(_ slot: Slot, _ bytes: Int) {
        inFlightCount -= 1
        inFlightBytes -= bytes
        self.bytes -= bytes
        shares[slot]?.inFlight -= 1
        shares[slot]?.bytes -= bytes
        markReady(slot)
    }

    private mutating func markReady(_ slot: Slot) {
        guard let share = shares[slot], !share.isReady, !share.waiting.isEmpty, share.inFlight < maximumInFlight else {
            return
        }
        shares[slot]?.isReady = true
        readyClients.append(slot)
    }

    /// Returns the next event to send and counts it as in flight, or returns nil if none can be sent. Send it, and
    /// report its number with `sent`.
    mutating func next() -> Event? {
        while let slot = readyClients.first {
            guard let first = shares[slot]?.waiting.first, let event = first.event else {
                // The event was withdrawn, or no event is left.
                if shares[slot]?.waiting.popFirst() != nil {
                    shares[slot]?.withdrawn -= 1
                } else {
                    removeFirstReady(slot)
                }
                continue
            }
            guard hasInFlightRoom(for: first.bytes) else { return nil }
            shares[slot]?.waiting.removeFirst()
            addInFlight(slot, first.bytes)
            removeFirstReady(slot)
            markReady(slot)
            return event
        }
        return nil
    }

    private mutating func removeFirstReady(_ slot: Slot) {
        readyClients.removeFirst()
        shares[slot]?.isReady = false
    }

    /// Removes a waiting event, which is never sent. The caller also calls `ended`.
    mutating func withdraw(_ place: UInt64, of slot: Slot) {
        guard var share = shares[slot].take() else { return }
        defer { shares[slot] = share }
        let index = share.waiting.partitioningIndex { $0.place >= place }
        guard index < share.waiting.count, share.waiting[index].place == place, share.waiting[index].event != nil
        else { return }
        share.waiting[index].event = nil
        share.bytes -= share.waiting[index].bytes
        bytes -= share.waiting[index].bytes
        share.withdrawn += 1
        // Withdrawn entries are removed before they take more room than the waiting ones.
        guard share.withdrawn > 32, share.withdrawn > share.waiting.count / 2 else { return }
        share.waiting.removeAll { $0.event == nil }
        share.withdrawn = 0
    }

    /// Records the end of an accepted event. Call this once for each event.
    mutating func ended(_ slot: Slot) {
        open -= 1
        shares[slot]?.open -= 1
        guard let share = shares[slot], share.presence == .gone else { return }
        goneClientsOpen -= 1
        if share.open == 0 { goneClients.removeAll { $0 == slot } }
    }

    /// The number of events that wait to be sent to the worker.
    var waitingCount: Int { shares.reduce(0) { $0 + ($1.map { $0.waiting.count - $0.withdrawn } ?? 0) } }

    /// The waiting events. Those of one client are in their order.
    var waiting: [Event] { shares.flatMap { $0?.waiting.compactMap(\.event) ?? [] } }

    /// Returns the number of open events of a client.
    func open(of slot: Slot) -> Int { shares[slot]?.open ?? 0 }
}

extension Deque {
    /// Returns the first index whose element satisfies a condition. The condition must also hold for all elements after
    /// it.
    fileprivate func partitioningIndex(where holds: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
