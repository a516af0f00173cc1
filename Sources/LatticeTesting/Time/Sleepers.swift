/// Who sleeps on a ``TestClock``, and what it shows. Decides only: what is to be resumed is handed out.
struct Sleepers {
    typealias Continuation = CheckedContinuation<Void, any Error>

    /// Continuations to resume, outside the lock.
    struct Wakening {
        var continuations: [Continuation] = []
        var error: CancellationError?
        /// The clock shows what it was to show.
        var isLast = true

        func perform() {
            for continuation in continuations {
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
    }

    /// What has been asked of the clock, to see whether anything goes on.
    struct Activity: Equatable {
        /// Grows with everything that the work under test asks of the clock.
        let asked: Int
        /// Sleepers that were woken and have not been given a thread yet.
        let waking: Int
        /// Whether anybody sleeps.
        let hasSleepers: Bool
    }

    private struct Sleeper {
        let deadline: TestClock.Instant
        let continuation: Continuation
    }

    private(set) var now: TestClock.Instant
    private var asked = 0
    private var nextID = 0
    /// By identity, which is also the order in which they came.
    private var sleeping: [Int: Sleeper] = [:]
    /// Woken, and not back in their own code yet.
    private var waking: Set<Int> = []
    /// Cancelled before they slept.
    private var cancelled: Set<Int> = []

    init(now: TestClock.Instant) {
        self.now = now
    }

    var activity: Activity { Activity(asked: asked, waking: waking.count, hasSleepers: !sleeping.isEmpty) }
    var count: Int { sleeping.count }
    var nextDeadline: TestClock.Instant? { sleeping.values.lazy.map(\.deadline).min() }

    /// The time, as the work under test asks for it.
    mutating func readTime() -> TestClock.Instant {
        asked += 1
        return now
    }

    mutating func makeID() -> Int {
        nextID += 1
        asked += 1
        return nextID
    }

    /// - Returns: a wakening if there is nothing to sleep for.
    mutating func sleep(_ id: Int, until deadline: TestClock.Instant, _ continuation: Continuation) -> Wakening? {
        asked += 1
        if cancelled.remove(id) != nil { return Wakening(continuations: [continuation], error: CancellationError()) }
        if deadline <= now { return Wakening(continuations: [continuation]) }
        sleeping[id] = Sleeper(deadline: deadline, continuation: continuation)
        return nil
    }

    /// - Returns: a wakening if the sleeper slept.
    mutating func cancel(_ id: Int) -> Wakening? {
        asked += 1
        if let sleeper = sleeping.removeValue(forKey: id) {
            waking.insert(id)
            return Wakening(continuations: [sleeper.continuation], error: CancellationError())
        }
        // Either it has not come to sleep yet, or it was woken already; `leave` forgets the mark in both cases.
        cancelled.insert(id)
        return nil
    }

    /// A sleeper is back in its own code.
    mutating func leave(_ id: Int) {
        waking.remove(id)
        cancelled.remove(id)
        asked += 1
    }

    /// Goes to the next deadline that is not after `target`, or to `target` itself.
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
