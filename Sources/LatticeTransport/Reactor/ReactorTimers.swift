/// Work that waits for a moment: a heap of moments, so that thousands (one for each session) cost little.
struct ReactorTimers {
    private var lastNumber: UInt64 = 0
    /// The first is due next. What was cancelled stays until its moment has come.
    private var heap: [EventLoopTimer] = []
    private var works: [UInt64: @Sendable () -> Void] = [:]

    var isEmpty: Bool { works.isEmpty }

    mutating func add(at moment: Int64, _ work: @escaping @Sendable () -> Void) -> EventLoopTimer {
        lastNumber += 1
        let key = EventLoopTimer(moment: moment, number: lastNumber)
        works[key.number] = work
        heap.append(key)
        rise(from: heap.count - 1)
        return key
    }

    mutating func cancel(_ key: EventLoopTimer) {
        works[key.number] = nil
        if works.isEmpty { heap = [] }
    }

    /// How long until the first is due, as `poll` and `epoll_wait` want it.
    mutating func milliseconds(from now: Int64) -> Int32 {
        while let first = heap.first, works[first.number] == nil { removeFirst() }
        guard let first = heap.first else { return -1 }
        return Int32(clamping: max(0, first.moment - now))
    }

    mutating func takeDue(_ now: Int64) -> [@Sendable () -> Void] {
        var due: [@Sendable () -> Void] = []
        while let first = heap.first, first.moment <= now {
            removeFirst()
            if let work = works.removeValue(forKey: first.number) { due.append(work) }
        }
        return due
    }

    // MARK: The heap

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        sink()
    }

    private mutating func rise(from place: Int) {
        var place = place
        while place > 0, heap[place] < heap[(place - 1) / 2] {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    private mutating func sink() {
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count && heap[child] < heap[least] {
                least = child
            }
            if least == place { return }
            heap.swapAt(place, least)
            place = least
        }
    }
}
