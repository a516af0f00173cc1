/// The sleeping tasks of a ``TestClock``, and its time. This is a state machine: it returns the continuations to resume
/// and does not resume them itself.
struct Sleepers {
    typealias Continuation = CheckedContinuation<Void, any Error>

    /// A set of continuations to resume outside of the lock.
    struct Wakening {
        var continuations: [Continuation] = []
        var error: CancellationError?
        /// A Boolean value that indicates whether the clock has reached its target.
        var isLast = true

        func perform() {
            for continuation in continuations {
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
    }

    /// A summary of the requests to the clock, for detecting whether work still runs.
    struct Activity: Equatable {
        /// A counter that grows with every request of the work under test.
        let asked: Int
        /// The number of sleepers that have been woken but have not run yet.
        let waking: Int
        /// A Boolean value that indicates whether any task sleeps.
        let hasSleepers: Bool
    }

    private struct Sleeper {
        let deadline: TestClock.Instant
        let continuation: Continuation
    }

    private(set) var now: TestClock.Instant
    private var asked = 0
    private var nextID = 0
    /// The sleepers by their identifiers, which grow in the order in which they began to sleep.
    private var sleeping: [Int: Sleeper] = [:]
    /// The sleepers that have been woken but have not returned to their own code yet.
    private var waking: Set<Int> = []
    /// The sleepers that were cancelled before they slept.
    private var cancelled: Set<Int> = []

    init(now: TestClock.Instant) {
        self.now = now
    }

    var activity: Activity { Activity(asked: asked, waking: waking.count, hasSleepers: !sleeping.isEmpty) }
    var count: Int { sleeping.count }
    var nextDeadline: TestClock.Instant? { sleeping.values.lazy.map(\.deadline).min() }

    /// Returns the time for a request of the work under test.
    mutating func readTime() -> TestClock.Instant {
        asked += 1
        return now
    }

    mutating func makeID() -> Int {
        nextID += 1
        asked += 1
        return nextID
    }

    /// Adds a sleeper. Returns a wakening if it need not sleep, and nil if it sleeps.
    mutating func sleep(_ id: Int, until deadline: TestClock.Instant, _ continuation: Continuation) -> Wakening? {
        asked += 1
        if cancelled.remove(id) != nil { return Wakening(continuations: [continuation], error: CancellationError()) }
        if deadline <= now { return Wakening(continuations: [continuation]) }
        sleeping[id] = Sleeper(deadline: deadline, continuation: continuation)
        return nil
    }

    /// Cancels a sleeper. Returns a wakening if it was sleeping.
    mutating func cancel(_ id: Int) -> Wakening? {
        asked += 1
        if let sleeper = sleeping.removeValue(forKey: id) {
            waking.insert(id)
            return Wakening(continuations: [sleeper.continuation], error: CancellationError())
        }
        // The task has not begun to sleep yet, or it was woken already. In both cases `leave` removes the mark.
        cancelled.insert(id)
        return nil
    }

    /// Removes a sleeper that has returned to its own code.
    mutating func leave(_ id: Int) {
        waking.remove(id)
        cancelled.remove(id)
        asked += 1
    }

    /// Moves the clock to the next deadline that is not later than `target`, or to `target` itself.
    mutating func advance(towards target: TestClock.Instant) -> Wakening {
        let next = nextDeadline.map { min($0, target) } ?? target
        now = max(now, next)
        let due = sleeping.filter { $0.value.deadline <= now }.sorted { $0.key < $1.key }
        for (id, _) in due {
            sleeping[id] = nil
            waking.insert(id)
        }
        asked += 1
        return Wakening(continuations: due.map(\.value.continuation), isLast: due.isEmpty && now >= target)
    }
}
