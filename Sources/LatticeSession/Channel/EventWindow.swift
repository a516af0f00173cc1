import LatticeWire

/// The events of one channel that have no outcome yet, in the order of their numbers.
///
/// Numbers increase by one, so the position of an event follows from its number. The window starts at the oldest event
/// without an outcome. An acknowledged event that runs for a long time is moved to a dictionary when the window would
/// otherwise exceed `maximumLength` places.
struct EventWindow<Promise: Sendable>: Sendable {
    /// Whether an event must be cancelled. It is a single word, because few events are cancelled.
    enum Cancelling: Sendable {
        /// The event was not cancelled.
        case none
        /// The event must be cancelled whenever it is sent.
        indirect case requested(WireCancellation)
    }

    /// An event without an outcome.
    struct Entry: Sendable {
        let number: UInt64
        /// The encoded action. It is kept until the event is acknowledged, because the event may have to be sent again.
        var action: [UInt8]?
        /// The name of the event, or nil for an event of the opener itself.
        let name: EventName?
        var metadata: EventMetadata
        /// The promise of the event. It is taken when the outcome is known.
        var promise: Promise?
        var wasSent: Bool
        var cancelling = Cancelling.none
        /// Whether the deadline of the event has passed.
        var isExpired = false

        /// Discards what is only needed to send the event again.
        ///
        /// - Returns: The size in bytes of the action and the metadata, or nil if they were discarded before.
        mutating func acknowledge() -> Int? {
            guard let action = action.take() else { return nil }
            defer { metadata.dropRest() }
            return action.count + metadata.bytes
        }
    }

    /// The maximum number of places in the window before a running event at its start is moved to the dictionary.
    static var maximumLength: Int { 1024 }

    // An array with a head index. A `Deque` copies an entry to read it, which took 10 % of the CPU of `lattice-bench
    // session`.
    private var entries: [Entry?] = []
    private var head = 0
    private(set) var firstNumber: UInt64
    private var longRunning: [UInt64: Entry] = [:]
    private(set) var unacknowledged = 0
    private(set) var unacknowledgedBytes = 0
    /// The highest event up to which all events are acknowledged, by a state or by their own outcome.
    private var acknowledgedThrough: UInt64

    init(after number: UInt64 = 0) {
        firstNumber = number + 1
        acknowledgedThrough = number
    }

    var nextNumber: UInt64 { firstNumber + UInt64(entries.count - head) }
    var acknowledged: UInt64 { acknowledgedThrough }

    /// Adds an event and returns its number.
    mutating func append(
        action: [UInt8],
        as name: EventName? = nil,
        metadata: EventMetadata = .none,
        promise: consuming Promise,
        wasSent: Bool
    ) -> UInt64 {
        let number = nextNumber
        entries.append(
            Entry(number: number, action: action, name: name, metadata: metadata, promise: promise, wasSent: wasSent)
        )
        unacknowledged += 1
        unacknowledgedBytes += action.count + metadata.bytes
        return number
    }

    /// Discards the actions of the events up to `number`, because these events will not be sent again.
    mutating func acknowledge(through number: UInt64) {
        let last = min(number, nextNumber &- 1)
        guard last > acknowledgedThrough else { return }
        var current = max(acknowledgedThrough + 1, firstNumber)
        while current <= last {
            // One access that changes the entry in place. Each access that reads it copies it.
            if let bytes = entries[head + Int(current - firstNumber)]?.acknowledge() {
                unacknowledged -= 1
                unacknowledgedBytes -= bytes
            }
            current += 1
        }
        acknowledgedThrough = last
        passEnded()
    }

    /// Advances the acknowledged number past events that have already ended. An outcome that overtook earlier events
    /// counts once those are acknowledged.
    private mutating func passEnded() {
        acknowledgedThrough = max(acknowledgedThrough, firstNumber - 1)
        while let index = index(of: acknowledgedThrough + 1), entries[index]?.action == nil { acknowledgedThrough += 1 }
    }

    /// Removes an event whose outcome is known and returns its promise. Returns nil if the outcome was already known,
    /// or if the event was never sent.
    mutating func complete(_ number: UInt64) -> Promise? {
        if let index = index(of: number) {
            guard var entry = entries[index].take() else { return nil }
            if let bytes = entry.acknowledge() {
                unacknowledged -= 1
                unacknowledgedBytes -= bytes
            }
            if number == acknowledgedThrough + 1 { passEnded() }
            if index == head || entries.count - head > Self.maximumLength { trim() }
            // Every event passes this line, so the promise is moved out instead of copied.
            return entry.promise.take()
        }
        return longRunning.removeValue(forKey: number)?.promise
    }

    /// Removes events that the window has passed, whose outcome is known. Only long-running events remain of them.
    mutating func completePassed(_ numbers: ClosedRange<UInt64>) -> [(number: UInt64, promise: Promise)] {
        longRunning.keys.filter(numbers.contains).sorted().compactMap { number in
            longRunning.removeValue(forKey: number)?.promise.map { (number, $0) }
        }
    }

    /// Records that an event must be cancelled, and returns its entry. The first cancellation of an event is kept.
    mutating func cancel(_ number: UInt64, _ cancellation: WireCancellation) -> Entry? {
        change(number) { entry in
            if case .none? = entry?.cancelling { entry?.cancelling = .requested(cancellation) }
        }
    }

    /// Records that the deadline of an event has passed, and returns its entry.
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

    /// Returns the events that must be sent, possibly again, oldest first. Marks them as sent.
    mutating func takeUnacknowledged() -> [Entry] {
        var result: [Entry] = []
        for index in head..<entries.count where entries[index]?.action != nil {
            entries[index]?.wasSent = true
            if let entry = entries[index] { result.append(entry) }
        }
        return result
    }

    /// The number of events without an outcome.
    var count: Int { entries[head...].count { $0 != nil } + longRunning.count }

    /// Whether every event has ended.
    var isEmpty: Bool { head == entries.count && longRunning.isEmpty }

    /// Returns the events that were sent and not acknowledged, oldest first.
    ///
    /// - Parameter last: The last event to include.
    func unacknowledged(through last: UInt64) -> [UInt64] {
        entries[head...].lazy.compactMap { $0 }
            .filter { $0.action != nil && $0.wasSent && $0.number <= last }
            .map(\.number)
    }

    /// Returns the newest events that a state acknowledges, oldest first.
    ///
    /// - Parameters:
    ///   - last: The last event that is contained in the state.
    ///   - limit: The maximum number of places that are looked at.
    func applying(through last: UInt64, atMost limit: UInt64) -> [Entry] {
        let last = min(last, nextNumber &- 1)
        let first = max(acknowledgedThrough + 1, firstNumber, last > limit ? last - limit + 1 : 0)
        guard first <= last else { return [] }
        return (first...last).compactMap { number in
            entries[head + Int(number - firstNumber)].flatMap { $0.action != nil && $0.wasSent ? $0 : nil }
        }
    }

    /// Returns an event that must be sent, possibly again, and marks it as sent. Returns nil if the event is
    /// acknowledged or has ended.
    mutating func takeUnacknowledged(_ number: UInt64) -> Entry? {
        guard let index = index(of: number), entries[index]?.action != nil else { return nil }
        entries[index]?.wasSent = true
        return entries[index]
    }

    /// Returns the name of an event, or nil for an event of the opener itself.
    func name(of number: UInt64) -> EventName? {
        index(of: number).flatMap { entries[$0]?.name }
    }

    /// Returns the promise of an event that has not ended, or nil.
    func promise(of number: UInt64) -> Promise? {
        index(of: number).flatMap { entries[$0]?.promise } ?? longRunning[number]?.promise
    }

    /// Returns whether the event has no outcome yet.
    func contains(_ number: UInt64) -> Bool {
        index(of: number).map { entries[$0] != nil } ?? (longRunning[number] != nil)
    }

    /// Returns whether the event is acknowledged or has ended.
    func isSettled(_ number: UInt64) -> Bool {
        guard let index = index(of: number) else { return true }
        return entries[index]?.action == nil
    }

    /// The events that were acknowledged and have not ended, oldest first.
    var running: [Entry] {
        let long = longRunning.values.sorted { $0.number < $1.number }
        return long + entries[head...].compactMap { entry in entry.flatMap { $0.action == nil ? $0 : nil } }
    }

    /// Removes the events after `number` that were acknowledged and have not ended, and returns their promises.
    mutating func removeRunning(after number: UInt64 = 0) -> [Promise] {
        let long = longRunning.values.filter { $0.number > number }.sorted { $0.number < $1.number }
        var promises = long.compactMap(\.promise)
        for entry in long { longRunning[entry.number] = nil }
        for index in head..<entries.count {
            guard let entry = entries[index], entry.action == nil, entry.number > number else { continue }
            if let promise = entry.promise { promises.append(promise) }
            entries[index] = nil
        }
        trim()
        return promises
    }

    /// Removes the events that were not acknowledged and satisfy the condition, and returns their promises.
    mutating func removeUnacknowledged(where condition: (Entry) -> Bool = { _ in true }) -> [Promise] {
        var promises: [Promise] = []
        for index in head..<entries.count {
            guard let entry = entries[index], let action = entry.action, condition(entry) else { continue }
            if let promise = entry.promise { promises.append(promise) }
            entries[index] = nil
            unacknowledged -= 1
            unacknowledgedBytes -= action.count + entry.metadata.bytes
        }
        trim()
        passEnded()
        return promises
    }

    /// Returns the position of an event in `entries`, or nil if the window does not contain it.
    private func index(of number: UInt64) -> Int? {
        guard number >= firstNumber, number < nextNumber else { return nil }
        return head + Int(number - firstNumber)
    }

    /// Advances the start of the window past events that have ended, and past running events if the window is too long.
    private mutating func trim() {
        while head < entries.count {
            if entries[head] != nil {
                guard entries.count - head > Self.maximumLength, let entry = entries[head], entry.action == nil else {
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
