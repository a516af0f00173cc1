/// Work that waits for a moment. A handful at most: a listener that ran out of descriptors.
struct ReactorTimers {
    private var entries: [(moment: Int64, work: @Sendable () -> Void)] = []

    var isEmpty: Bool { entries.isEmpty }

    mutating func add(at moment: Int64, _ work: @escaping @Sendable () -> Void) {
        entries.append((moment, work))
    }

    /// How long until the first is due, as `poll` and `epoll_wait` want it.
    func milliseconds(from now: Int64) -> Int32 {
        guard let first = entries.map(\.moment).min() else { return -1 }
        return Int32(clamping: max(0, first - now))
    }

    mutating func takeDue(_ now: Int64) -> [@Sendable () -> Void] {
        let due = entries.filter { $0.moment <= now }.map(\.work)
        if !due.isEmpty { entries.removeAll { $0.moment <= now } }
        return due
    }
}
