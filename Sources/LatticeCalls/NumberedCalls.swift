import DequeModule

/// The calls in progress by their numbers, which ascend, mostly one by one.
///
/// Most calls end soon, and roughly in the order of their numbers. They are kept in a queue, in which the number of a
/// call gives its position. A dictionary for all calls took 8 % of the cost of a call (`lattice-bench actors`).
/// Calls that stay for a long time, such as a wait for the end of an actor, move to a dictionary, so that the queue
/// stays short.
struct NumberedCalls<Call> {
    /// The maximum number of positions in the queue, which take 24 KiB.
    static var maximumRecent: Int { 1_024 }
    /// The largest gap between two numbers that the queue bridges. After a larger gap the queue begins again. There is
    /// a gap where a sender assigned a number to a call that it did not send after all.
    static var maximumGap: UInt64 { 64 }

    private var recent: Deque<Call?> = []
    /// The number at the first position.
    private var first: UInt64 = 0
    private var older: [UInt64: Call] = [:]
    private(set) var count = 0

    /// Adds a call.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - number: The number of the call, which is greater than all previous ones.
    mutating func append(_ call: Call, _ number: UInt64) {
        let next = first &+ UInt64(recent.count)
        if recent.isEmpty {
            first = number
        } else if number - next > Self.maximumGap {
            while !recent.isEmpty { retireFirst() }
            first = number
        } else {
            for _ in next..<number { recent.append(nil) }
        }
        recent.append(call)
        count += 1
        while recent.count > Self.maximumRecent { retireFirst() }
        trim()
    }

    subscript(number: UInt64) -> Call? {
        if let index = index(of: number) { recent[index] } else { older.isEmpty ? nil : older[number] }
    }

    /// Replaces a call in progress.
    ///
    /// - Returns: Whether a call with this number is in progress.
    mutating func replace(_ number: UInt64, with call: Call) -> Bool {
        if let index = index(of: number) {
            guard recent[index] != nil else { return false }
            recent[index] = call
            return true
        }
        guard !older.isEmpty, let index = older.index(forKey: number) else { return false }
        older.values[index] = call
        return true
    }

    mutating func remove(_ number: UInt64) -> Call? {
        let removed: Call?
        if let index = index(of: number) {
            removed = recent[index].take()
            if index == 0 { trim() }
        } else {
            removed = older.isEmpty ? nil : older.removeValue(forKey: number)
        }
        if removed != nil { count -= 1 }
        return removed
    }

    /// All calls in the order of their numbers.
    var sorted: [(number: UInt64, call: Call)] {
        older.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            + recent.indices.compactMap { index in recent[index].map { (first + UInt64(index), $0) } }
    }

    /// Returns the lowest number of a call in progress that meets a condition.
    func firstNumber(where isMeant: (UInt64) -> Bool) -> UInt64? {
        if let old = older.keys.filter(isMeant).min() { return old }
        return recent.indices.lazy.filter { recent[$0] != nil }.map { first + UInt64($0) }.first(where: isMeant)
    }

    private func index(of number: UInt64) -> Int? {
        guard number >= first, number - first < UInt64(recent.count) else { return nil }
        return Int(number - first)
    }

    private mutating func retireFirst() {
        if let call = recent.removeFirst() { older[first] = call }
        first += 1
    }

    /// Removes the empty positions at the start of the queue.
    private mutating func trim() {
        while let call = recent.first, call == nil {
            recent.removeFirst()
            first += 1
        }
    }
}
