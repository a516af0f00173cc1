import HeapModule

/// Work that waits for its moment: a heap of moments, so that thousands (one for each session) cost little.
package struct Timers {
    /// One piece of work, by the order in which it is due.
    package struct Key: Comparable, Sendable {
        /// For work that will not run.
        package static let never = Key(moment: .max, number: 0)

        let moment: Int64
        let number: UInt64

        /// - Parameters:
        ///   - moment: in the unit and from the origin of whose timers they are.
        ///   - number: tells timers of one moment apart; ascending.
        package init(moment: Int64, number: UInt64) {
            self.moment = moment
            self.number = number
        }

        package static func < (left: Key, right: Key) -> Bool {
            (left.moment, left.number) < (right.moment, right.number)
        }
    }

    /// So many cancelled ones may stay in the heap, and as many again as there are others.
    private static let keptCancelled = 64

    /// Nothing is due before this moment, and perhaps not then, if that was cancelled; `Int64.max` before the first.
    /// Stored, since who spins asks each time.
    package private(set) var earliest = Int64.max
    private var lastNumber: UInt64 = 0
    /// What was cancelled stays until its moment has come, or until there is too much of it.
    private var heap = Heap<Key>()
    private var works: [UInt64: @Sendable () -> Void] = [:]

    package init() {}

    package var isEmpty: Bool { works.isEmpty }

    /// Cancelled ones included.
    var size: Int { heap.count }

    package mutating func add(at moment: Int64, _ work: @escaping @Sendable () -> Void) -> Key {
        lastNumber += 1
        let key = Key(moment: moment, number: lastNumber)
        works[key.number] = work
        heap.insert(key)
        earliest = min(earliest, moment)
        return key
    }

    package mutating func cancel(_ key: Key) {
        guard works.removeValue(forKey: key.number) != nil else { return }
        if heap.count > 2 * works.count + Self.keptCancelled {
            heap = Heap(heap.unordered.filter { works.keys.contains($0.number) })
        }
    }

    /// When the first is due.
    package mutating func first() -> Int64? {
        while let first = heap.min, works[first.number] == nil { heap.removeMin() }
        return heap.min?.moment
    }

    package mutating func takeDue(_ now: Int64) -> [@Sendable () -> Void] {
        var due: [@Sendable () -> Void] = []
        while let first = heap.min, first.moment <= now {
            heap.removeMin()
            if let work = works.removeValue(forKey: first.number) { due.append(work) }
        }
        earliest = heap.min?.moment ?? .max
        return due
    }
}
