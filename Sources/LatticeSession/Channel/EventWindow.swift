/// The events of one channel that have no outcome yet, in the order of their numbers.
///
/// Numbers grow by one, so the position of an event follows from its number. An acknowledged event that runs for long
/// is moved to a dictionary once it keeps more than `longestRun` later ones from being forgotten.
struct EventWindow<Ticket: Sendable>: Sendable {
    struct Entry: Sendable {
        let number: UInt64
        /// Kept until the event is acknowledged, to be sent again.
        var action: [UInt8]?
        /// Whose event it is, if not the opener's own.
        let name: EventName?
        var terms: EventMetadata
        /// Taken when the outcome is known.
        var ticket: Ticket?
        var wasSent: Bool
        var isCancelled = false
        /// Whether its deadline has passed.
        var isExpired = false
    }

    /// How many places an unfinished event may keep occupied behind it before it moves out of the way.
    static var longestRun: Int { 1024 }

    // An array and its head, as a `Deque` copies an entry to look at it: 10 % of the CPU of `latticectl bench session`.
    private var entries: [Entry?] = []
    private var head = 0
    private(set) var firstNumber: UInt64
    private var longRunning: [UInt64: Entry] = [:]
    private(set) var unacknowledged = 0
    private(set) var unacknowledgedBytes = 0
    /// All events up to this one are acknowledged, by a state or by their own outcome.
    private var acknowledgedThrough: UInt64

    init(after number: UInt64 = 0) {
        firstNumber = number + 1
        acknowledgedThrough = number
    }

    var nextNumber: UInt64 { firstNumber + UInt64(entries.count - head) }
    var acknowledged: UInt64 { acknowledgedThrough }

    mutating func append(
        action: [UInt8],
        as name: EventName? = nil,
        terms: EventMetadata = .none,
        ticket: consuming Ticket,
        wasSent: Bool
    ) -> UInt64 {
        let number = nextNumber
        entries.append(
            Entry(number: number, action: action, name: name, terms: terms, ticket: ticket, wasSent: wasSent)
        )
        unacknowledged += 1
        unacknowledgedBytes += action.count + terms.bytes
        return number
    }

    /// Lets go of the actions up to `number`: they need not be sent again.
    mutating func acknowledge(through number: UInt64) {
        let last = min(number, nextNumber &- 1)
        guard last > acknowledgedThrough else { return }
        var current = max(acknowledgedThrough + 1, firstNumber)
        while current <= last {
            let index = head + Int(current - firstNumber)
            if let action = entries[index]?.action.take() {
                unacknowledged -= 1
                unacknowledgedBytes -= action.count + (entries[index]?.terms.bytes ?? 0)
                // Sent again is only what has its action.
                entries[index]?.terms.dropTrace()
            }
            current += 1
        }
        acknowledgedThrough = last
        passEnded()
    }

    /// An outcome that overtook earlier events counts from when those are acknowledged too.
    private mutating func passEnded() {
        acknowledgedThrough = max(acknowledgedThrough, firstNumber - 1)
        while let index = index(of: acknowledgedThrough + 1), entries[index]?.action == nil { acknowledgedThrough += 1 }
    }

    /// Takes the ticket of an event whose outcome is known; nil if it is known already or was never sent.
    mutating func complete(_ number: UInt64) -> Ticket? {
        if let index = index(of: number) {
            guard var entry = entries[index].take() else { return nil }
            if let action = entry.action.take() {
                unacknowledged -= 1
                unacknowledgedBytes -= action.count + entry.terms.bytes
            }
            if number == acknowledgedThrough + 1 { passEnded() }
            if index == head || entries.count - head > Self.longestRun { trim() }
            // Moved out rather than copied: each event comes here.
            return entry.ticket.take()
        }
        return longRunning.removeValue(forKey: number)?.ticket
    }

    /// The same for events that the window has passed: only those that run for long are left of them.
    mutating func completePassed(_ numbers: ClosedRange<UInt64>) -> [(number: UInt64, ticket: Ticket)] {
        longRunning.keys.filter(numbers.contains).sorted().compactMap { number in
            longRunning.removeValue(forKey: number)?.ticket.map { (number, $0) }
        }
    }

    /// Remembers that an event is to be cancelled; answers what is known of it.
    mutating func cancel(_ number: UInt64) -> Entry? {
        change(number) { $0?.isCancelled = true }
    }

    /// Remembers that the deadline of an event has passed; answers what is known of it.
    mutating func expire(_ number: UInt64) -> Entry? {
        change(number) { $0?.isExpired = true }
    }

    private mutating func change(_ number: UInt64, _ body: (inout Entry?) -> Void) -> Entry? {
        if let index = index(of: number) {
            body(&entries[index])
            return entries[index]
        }
        body(&longRunning[number])
        return longRunning[number]
    }

    /// The events that have to be sent (again), oldest first.
    mutating func takeUnacknowledged() -> [Entry] {
        var result: [Entry] = []
        for index in head..<entries.count where entries[index]?.action != nil {
            entries[index]?.wasSent = true
            if let entry = entries[index] { result.append(entry) }
        }
        return result
    }

    /// Whether every event has ended.
    var isEmpty: Bool { head == entries.count && longRunning.isEmpty }

    /// The events that were sent and not acknowledged, oldest first.
    ///
    /// - Parameter last: The last one that counts.
    func unacknowledged(through last: UInt64) -> [UInt64] {
        entries[head...].lazy.compactMap { $0 }
            .filter { $0.action != nil && $0.wasSent && $0.number <= last }
            .map(\.number)
    }

    /// The same event as it is to be sent (again); nil: it is acknowledged, or has ended.
    mutating func takeUnacknowledged(_ number: UInt64) -> Entry? {
        guard let index = index(of: number), entries[index]?.action != nil else { return nil }
        entries[index]?.wasSent = true
        return entries[index]
    }

    /// Whose event it is, if not the opener's own.
    func name(of number: UInt64) -> EventName? {
        index(of: number).flatMap { entries[$0]?.name }
    }

    /// Whether the event has no outcome yet.
    func contains(_ number: UInt64) -> Bool {
        index(of: number).map { entries[$0] != nil } ?? (longRunning[number] != nil)
    }

    /// Whether the event is acknowledged, or has ended.
    func isSettled(_ number: UInt64) -> Bool {
        guard let index = index(of: number) else { return true }
        return entries[index]?.action == nil
    }

    /// The events that were acknowledged and have not ended, oldest first.
    var running: [Entry] {
        let long = longRunning.values.sorted { $0.number < $1.number }
        return long + entries[head...].compactMap { entry in entry.flatMap { $0.action == nil ? $0 : nil } }
    }

    /// Removes the events after `number` that were applied and have not ended.
    mutating func removeRunning(after number: UInt64 = 0) -> [Ticket] {
        let long = longRunning.values.filter { $0.number > number }.sorted { $0.number < $1.number }
        var tickets = long.compactMap(\.ticket)
        for entry in long { longRunning[entry.number] = nil }
        for index in head..<entries.count {
            guard let entry = entries[index], entry.action == nil, entry.number > number else { continue }
            if let ticket = entry.ticket { tickets.append(ticket) }
            entries[index] = nil
        }
        trim()
        return tickets
    }

    /// Removes the events that were not acknowledged, or those of them that are meant.
    mutating func removeUnacknowledged(where isMeant: (Entry) -> Bool = { _ in true }) -> [Ticket] {
        var tickets: [Ticket] = []
        for index in head..<entries.count {
            guard let entry = entries[index], let action = entry.action, isMeant(entry) else { continue }
            if let ticket = entry.ticket { tickets.append(ticket) }
            entries[index] = nil
            unacknowledged -= 1
            unacknowledgedBytes -= action.count + entry.terms.bytes
        }
        trim()
        passEnded()
        return tickets
    }

    private func index(of number: UInt64) -> Int? {
        guard number >= firstNumber, number < nextNumber else { return nil }
        return head + Int(number - firstNumber)
    }

    private mutating func trim() {
        while head < entries.count {
            if entries[head] != nil {
                guard entries.count - head > Self.longestRun, let entry = entries[head], entry.action == nil else {
                    break
                }
                longRunning[entry.number] = entry
                entries[head] = nil
            }
            head += 1
            firstNumber += 1
        }
        if head == entries.count {
            entries.removeAll(keepingCapacity: head <= 4096)
            head = 0
        } else if head > 4096, head > entries.count / 2 {
            entries.removeFirst(head)
            head = 0
        }
    }
}
