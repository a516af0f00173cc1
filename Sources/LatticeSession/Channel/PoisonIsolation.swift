import DequeModule

/// Which events may have ended their worker, and which of them is tried.
///
/// A life that ends leaves the events behind that were on their way, and one of them may be why. So the next life gets
/// these one at a time, or those up to the one in whose turn it ended if that is known. An event that two lives have
/// ended for, in its turn or while it was alone on its way, goes to quarantine.
struct PoisonIsolation: Sendable {
    /// One event to a worker.
    struct Event: Sendable, Hashable {
        let channel: UInt32
        let number: UInt64
    }

    /// The lives that ended while an event was on its way.
    struct Lives: Sendable, Equatable {
        /// It was alone, or it was its turn, so it has ended them.
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
    ///   - blame: Who may be why. One that was ended from outside makes no suspects.
    /// - Returns: The event that goes to quarantine, with the lives that count against it.
    mutating func lifeEnded(
        _ incarnation: UInt64,
        inFlight: [Event],
        blame: Blame
    ) -> (event: Event, lives: Lives)? {
        isTried = false
        switch blame {
        case .nobody, .effects: return nil
        case .event(let number, let channel):
            let culprit = Event(channel: channel, number: number)
            guard inFlight.contains(culprit) else { return nil }
            // What came before it on its channel comes before it again.
            for event in inFlight where event.channel == channel && event.number <= number { suspect(event) }
            lives[culprit]?.alone.append(incarnation)
            return takeOut(culprit)
        case .anything:
            for event in inFlight { suspect(event) }
            guard inFlight.count == 1, let culprit = inFlight.first else {
                for event in inFlight { lives[event]?.amongOthers.append(incarnation) }
                return nil
            }
            lives[culprit]?.alone.append(incarnation)
            return takeOut(culprit)
        }
    }

    private mutating func suspect(_ event: Event) {
        guard lives[event] == nil else { return }
        queue.append(event)
        lives[event] = Lives()
    }

    /// - Returns: An event, if it has ended as many lives as it may: it is no suspect any more.
    private mutating func takeOut(_ event: Event) -> (event: Event, lives: Lives)? {
        guard let lives = lives[event], lives.alone.count >= PoisonedEvent.maximumLives else { return nil }
        self.lives[event] = nil
        queue.removeAll { $0 == event }
        return (event, lives)
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
