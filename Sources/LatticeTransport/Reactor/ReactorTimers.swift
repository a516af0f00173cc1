import HeapModule

/// Work that waits for a moment: a heap of moments, so that thousands (one for each session) cost little.
struct ReactorTimers {
    private var lastNumber: UInt64 = 0
    /// What was cancelled stays until its moment has come.
    private var heap = Heap<EventLoopTimer>()
    private var works: [UInt64: @Sendable () -> Void] = [:]

    var isEmpty: Bool { works.isEmpty }

    mutating func add(at moment: Int64, _ work: @escaping @Sendable () -> Void) -> EventLoopTimer {
        lastNumber += 1
        let timer = EventLoopTimer(moment: moment, number: lastNumber)
        works[timer.number] = work
        heap.insert(timer)
        return timer
    }

    mutating func cancel(_ timer: EventLoopTimer) {
        works[timer.number] = nil
        if works.isEmpty { heap = [] }
    }

    /// How long until the first is due, as `poll` and `epoll_wait` want it: -1 for ever.
    mutating func milliseconds(from now: Int64) -> Int32 {
        while let first = heap.min, works[first.number] == nil { heap.removeMin() }
        guard let first = heap.min else { return -1 }
        return Int32(clamping: max(0, first.moment - now))
    }

    mutating func takeDue(_ now: Int64) -> [@Sendable () -> Void] {
        var due: [@Sendable () -> Void] = []
        while let first = heap.min, first.moment <= now {
            heap.removeMin()
            if let work = works.removeValue(forKey: first.number) { due.append(work) }
        }
        return due
    }
}
