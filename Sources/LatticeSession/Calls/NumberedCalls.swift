import DequeModule

/// Calls that are under way by their numbers, which ascend, mostly one by one.
///
/// Most calls end soon, in about the order of their numbers: those are in a queue, where each has the place that its
/// number says, as a dictionary took 8 % of all that a call costs (`latticectl bench actors`). What stays for long, as
/// a watch for the end of an actor does, goes to a dictionary, so that the queue need not reach back to it.
struct NumberedCalls<Call> {
    /// Places of the queue at most: 24 KiB.
    static var maximumRecent: Int { 1_024 }
    /// Numbers that are left out at once before the queue begins anew. Who numbers calls leaves out those that he then
    /// does not send.
    static var maximumGap: UInt64 { 64 }

    private var recent: Deque<Call?> = []
    /// The number of the first place.
    private var first: UInt64 = 0
    private var older: [UInt64: Call] = [:]
    private(set) var count = 0

    /// - Parameter number: Above all before.
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

    /// Puts another one in the place of one that is under way.
    ///
    /// - Returns: Whether it is.
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

    /// By ascending numbers.
    var sorted: [(number: UInt64, call: Call)] {
        older.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            + recent.indices.compactMap { index in recent[index].map { (first + UInt64(index), $0) } }
    }

    /// The lowest number of a call that is under way and fulfils a condition.
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

    /// The first place is that of a call.
    private mutating func trim() {
        while let call = recent.first, call == nil {
            recent.removeFirst()
            first += 1
        }
    }
}
