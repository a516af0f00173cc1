import HeapModule

/// A collection of closures that run at points in time. It is a heap, so that thousands of timers (one for each
/// session) are cheap.
package struct Timers {
    /// The key of a timer. Keys are ordered by the time at which the timers are due.
    package struct Key: Comparable, Sendable {
        /// The key of a timer that never fires.
        package static let never = Key(moment: .max, number: 0)

        let moment: Int64
        let number: UInt64

        /// - Parameters:
        ///   - moment: The time at which the timer is due, in the unit and from the origin of the owner of the timers.
        ///   - number: A number that distinguishes timers with the same time. Later timers have higher numbers.
        package init(moment: Int64, number: UInt64) {
            self.moment = moment
            self.number = number
        }

        package static func < (left: Key, right: Key) -> Bool {
            (left.moment, left.number) < (right.moment, right.number)
        }
    }

    /// The number of cancelled timers that may stay in the heap, in addition to the number of active ones.
    private static let keptCancelled = 64

    /// A lower bound of the time at which a timer is due, or `Int64.max` if there is none. That timer may have been
    /// cancelled. The value is stored because a spinning thread reads it in every iteration.
    package private(set) var earliest = Int64.max
    private var lastNumber: UInt64 = 0
    /// The keys. A cancelled timer stays until it is due, or until there are too many of them.
    private var heap = Heap<Key>()
    private var works: [UInt64: @Sendable () -> Void] = [:]

    /// Creates a collection without timers.
    package init() {}

    /// A Boolean value that indicates whether no timer is active.
    package var isEmpty: Bool { works.isEmpty }

    /// The number of timers, including cancelled ones that are still in the heap.
    var size: Int { heap.count }

    /// Adds a timer, and returns its key.
    package mutating func add(at moment: Int64, _ work: @escaping @Sendable () -> Void) -> Key {
        lastNumber += 1
        let key = Key(moment: moment, number: lastNumber)
        works[key.number] = work
        heap.insert(key)
        earliest = min(earliest, moment)
        return key
    }

    /// Cancels a timer. Does nothing if it has fired.
    package mutating func cancel(_ key: Key) {
        guard works.removeValue(forKey: key.number) != nil else { return }
        if heap.count > 2 * works.count + Self.keptCancelled {
            heap = Heap(heap.unordered.filter { works.keys.contains($0.number) })
        }
    }

    /// Returns the time at which the first active timer is due, or nil if there is none.
    package mutating func first() -> Int64? {
        while let first = heap.min, works[first.number] == nil { heap.removeMin() }
        return heap.min?.moment
    }

    /// Removes the timers that are due, and returns their closures in the order of their times.
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
