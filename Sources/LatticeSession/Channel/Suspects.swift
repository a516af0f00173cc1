import DequeModule

/// Which events may have ended their worker, and which of them is tried.
///
/// A life that ends leaves the events behind that were on their way, and one of them may be why. So the next life gets
/// these one at a time. An event that was alone on its way when two lives ended goes to quarantine.
struct Suspects: Sendable {
    /// One event to a worker.
    struct Event: Sendable, Hashable {
        let channel: UInt32
        let number: UInt64
    }

    /// The lives that ended while an event was on its way.
    struct Lives: Sendable, Equatable {
        /// It was alone, so it has ended them.
        var alone: [UInt64] = []
        /// It was one of several.
        var amongOthers: [UInt64] = []
    }

    /// The one to try next, or that is being tried; nil: there are no suspects.
    var first: Event? { queue.first }
    /// Whether that is on its way.
    private(set) var isTried = false
    private var queue: Deque<Event> = []
    private var lives: [Event: Lives] = [:]

    /// A life ended.
    ///
    /// - Parameters:
    ///   - inFlight: What was on its way to it: while there are suspects, no more than the one that was tried.
    ///   - isBlamed: Whether what it did is why. One that was ended from outside makes no suspects.
    /// - Returns: The event that goes to quarantine, with the lives that count against it.
    mutating func lifeEnded(
        _ incarnation: UInt64,
        inFlight: [Event],
        isBlamed: Bool
    ) -> (event: Event, lives: Lives)? {
        isTried = false
        guard isBlamed else { return nil }
        let isAlone = inFlight.count == 1
        for event in inFlight {
            if lives[event] == nil { queue.append(event) }
            lives[event, default: Lives()].note(incarnation, isAlone: isAlone)
        }
        guard isAlone, let culprit = inFlight.first, let lives = lives[culprit] else { return nil }
        guard lives.alone.count >= PoisonedEvent.mostLives else { return nil }
        removeFirst()
        return (culprit, lives)
    }

    /// The first one is on its way, alone.
    mutating func triesFirst() {
        isTried = true
    }

    /// The first one was taken in by a worker, or has ended otherwise: it is no suspect any more.
    mutating func removeFirst() {
        isTried = false
        if let event = queue.popFirst() { lives[event] = nil }
    }
}

extension Suspects.Lives {
    fileprivate mutating func note(_ life: UInt64, isAlone: Bool) {
        if isAlone { alone.append(life) } else { amongOthers.append(life) }
    }
}
