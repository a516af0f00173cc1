import DequeModule

/// What each client has of the room for events at one instance, and whose turn it is: a state machine without I/O.
///
/// An event is open from when it is taken until it has ended. It is ahead from when it is sent on until the worker has
/// acknowledged it; before that it waits. Two rules decide:
///
/// - An event is taken while its client has less than its share, and less than is still free; a few are always.
/// - It is sent on at once unless as many of its client are ahead as may be; then it waits, and with each that is
///   acknowledged clients whose events wait take turns, an event each.
///
/// So an event finds at most ``ShareLimits/ahead`` of another client in front of it, whatever that has sent, and from
/// then on ``ShareLimits/aheadBesideOthers`` of each.
struct EventShares<Event> {
    typealias Slot = Int

    /// What becomes of an event that came.
    enum Taking: Equatable {
        /// It is ahead: send it on, and say under which number by `sent`.
        case send
        /// It gets its turn later; this names it until then.
        case wait(place: UInt64)
        /// It is not taken, for this reason.
        case reject(String)
    }

    /// Where a client is.
    private enum Presence {
        /// It is connected, or may come back.
        case there
        /// It is gone for good, and what it has open may end by itself.
        case lost
        /// It is gone for good, and what it has open is being cancelled.
        case cancelled
    }

    private struct Waiting {
        let place: UInt64
        let bytes: Int
        /// nil: it was withdrawn.
        var event: Event?
    }

    private struct Share {
        var open = 0
        /// Of the actions that are not acknowledged.
        var bytes = 0
        var ahead = 0
        /// By ascending places.
        var waiting: Deque<Waiting> = []
        var withdrawn = 0
        var hasTurn = false
        var presence = Presence.there
    }

    private let limits: ShareLimits
    private var shares: [Share?] = []
    private var free: [Slot] = []
    /// What is ahead, by ascending numbers.
    private var ahead: Deque<(number: UInt64, slot: Slot, bytes: Int)> = []
    private var aheadCount = 0
    private var aheadBytes = 0
    /// Those whose events wait and could be sent, in the order of their turns.
    private var turns: Deque<Slot> = []
    private var lastPlace: UInt64 = 0
    /// How many events came, the client of the newest one, and which event was the newest of another client.
    private var taken: UInt64 = 0
    private var newest: Slot?
    private var newestOfOthers: UInt64?
    /// Of all clients.
    private(set) var open = 0
    private var bytes = 0
    /// Clients that are gone for good, the one that was lost first in front, and what they have open.
    private var lost: Deque<Slot> = []
    private var lostOpen = 0

    init(limits: ShareLimits = ShareLimits()) {
        self.limits = limits
    }

    // MARK: Clients

    /// A client that has nothing here.
    mutating func join() -> Slot {
        if let slot = free.popLast() {
            shares[slot] = Share()
            return slot
        }
        shares.append(Share())
        return shares.count - 1
    }

    /// Nobody sends in its name any more, and nothing of it is open.
    mutating func leave(_ slot: Slot) {
        shares[slot] = nil
        free.append(slot)
    }

    /// It is gone for good. What it has open goes on, and so that those who are gone keep nobody out, they share what
    /// one client may have.
    ///
    /// - Returns: Those whose events are to be cancelled for that, the one that was lost first in front.
    mutating func lose(_ slot: Slot) -> [Slot] {
        guard let share = shares[slot], share.presence == .there, share.open > 0 else { return [] }
        shares[slot]?.presence = .lost
        lost.append(slot)
        lostOpen += share.open
        var over: [Slot] = []
        while lostOpen > limits.eventsPerClient || open > limits.events, let first = lost.popFirst() {
            lostOpen -= shares[first]?.open ?? 0
            shares[first]?.presence = .cancelled
            over.append(first)
        }
        return over
    }

    /// It came back after it was lost.
    mutating func find(_ slot: Slot) {
        if shares[slot]?.presence == .lost { forgetLost(slot) }
        shares[slot]?.presence = .there
    }

    private mutating func forgetLost(_ slot: Slot) {
        lost.removeAll { $0 == slot }
        lostOpen -= shares[slot]?.open ?? 0
    }

    // MARK: Events

    /// An event came.
    mutating func take(_ event: Event, bytes: Int, of slot: Slot) -> Taking {
        if let reason = refusal(of: bytes, slot) { return .reject(reason) }
        note(slot)
        open += 1
        self.bytes += bytes
        shares[slot]?.open += 1
        shares[slot]?.bytes += bytes
        if mayGoAhead(slot), hasRoomAhead(for: bytes) {
            goAhead(slot, bytes)
            return .send
        }
        lastPlace += 1
        shares[slot]?.waiting.append(Waiting(place: lastPlace, bytes: bytes, event: event))
        giveTurn(slot)
        return .wait(place: lastPlace)
    }

    private mutating func note(_ slot: Slot) {
        if let newest, newest != slot { newestOfOthers = taken }
        newest = slot
        taken += 1
    }

    /// So many of one client may be ahead.
    private var maximumAhead: Int {
        guard let newestOfOthers, taken - newestOfOthers < limits.newestEvents else { return limits.ahead }
        return min(limits.ahead, limits.aheadBesideOthers)
    }

    // What reads a share is apart from what adds to it: with a copy of it at hand, adding would copy all that waits.

    private func refusal(of bytes: Int, _ slot: Slot) -> String? {
        guard let share = shares[slot] else { preconditionFailure("A client joins before it sends.") }
        if share.open >= limits.guaranteedEvents {
            guard share.open < limits.eventsPerClient else {
                return "\(share.open) events of this client have not ended, and one client has no more; wait for some"
                    + " of them to end"
            }
            guard share.open < limits.events - open else {
                return "\(open) events of all clients have not ended, \(share.open) of them of this one, which gets no"
                    + " more than are left; wait for some of them to end"
            }
        }
        if share.bytes + bytes > limits.guaranteedBytes, share.bytes + bytes > limits.bytes - self.bytes {
            return
                "events of \(self.bytes) bytes of all clients wait to be acknowledged, \(share.bytes) of them of this"
                + " one, which gets no more than are left; wait for some of them to end"
        }
        return nil
    }

    /// Whether nothing is in front of its next event, and not too much of it ahead.
    private func mayGoAhead(_ slot: Slot) -> Bool {
        guard let share = shares[slot] else { return false }
        return turns.isEmpty && share.waiting.isEmpty && share.ahead < maximumAhead
    }

    private func hasRoomAhead(for bytes: Int) -> Bool {
        aheadCount == 0 || aheadBytes + bytes <= limits.aheadBytes
    }

    private mutating func goAhead(_ slot: Slot, _ bytes: Int) {
        shares[slot]?.ahead += 1
        aheadCount += 1
        aheadBytes += bytes
    }

    /// An event was sent on under this number, which is higher than those before; nil: it was not taken there.
    mutating func sent(_ slot: Slot, bytes: Int, as number: UInt64?) {
        guard let number else { return acknowledged(slot, bytes) }
        ahead.append((number, slot, bytes))
    }

    /// The worker has acknowledged what was sent on up to this number.
    mutating func acknowledge(through number: UInt64) {
        while let first = ahead.first, first.number <= number {
            ahead.removeFirst()
            acknowledged(first.slot, first.bytes)
        }
    }

    private mutating func acknowledged(_ slot: Slot, _ bytes: Int) {
        aheadCount -= 1
        aheadBytes -= bytes
        self.bytes -= bytes
        shares[slot]?.ahead -= 1
        shares[slot]?.bytes -= bytes
        giveTurn(slot)
    }

    private mutating func giveTurn(_ slot: Slot) {
        guard let share = shares[slot], !share.hasTurn, !share.waiting.isEmpty, share.ahead < maximumAhead else {
            return
        }
        shares[slot]?.hasTurn = true
        turns.append(slot)
    }

    /// Takes the event whose turn it is, which is ahead then: send it on, and say under which number by `sent`.
    mutating func next() -> Event? {
        while let slot = turns.first {
            guard let first = shares[slot]?.waiting.first, let event = first.event else {
                // It was withdrawn, or all were.
                if shares[slot]?.waiting.popFirst() != nil { shares[slot]?.withdrawn -= 1 } else { endTurn(slot) }
                continue
            }
            guard hasRoomAhead(for: first.bytes) else { return nil }
            shares[slot]?.waiting.removeFirst()
            goAhead(slot, first.bytes)
            endTurn(slot)
            giveTurn(slot)
            return event
        }
        return nil
    }

    private mutating func endTurn(_ slot: Slot) {
        turns.removeFirst()
        shares[slot]?.hasTurn = false
    }

    /// An event that waits is never to be sent; `ended` follows.
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
        // Those that are never looked at take no more room than those that wait.
        guard share.withdrawn > 32, share.withdrawn > share.waiting.count / 2 else { return }
        share.waiting.removeAll { $0.event == nil }
        share.withdrawn = 0
    }

    /// An event that was taken has ended. Once for each.
    mutating func ended(_ slot: Slot) {
        open -= 1
        shares[slot]?.open -= 1
        guard let share = shares[slot], share.presence == .lost else { return }
        lostOpen -= 1
        if share.open == 0 { lost.removeAll { $0 == slot } }
    }

    /// The events that wait, those of one client in their order.
    var waiting: [Event] { shares.flatMap { $0?.waiting.compactMap(\.event) ?? [] } }

    /// What a client has open.
    func open(of slot: Slot) -> Int { shares[slot]?.open ?? 0 }
}

extension Deque {
    /// The first index from which on a condition holds that never ceases to.
    fileprivate func partitioningIndex(where holds: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
