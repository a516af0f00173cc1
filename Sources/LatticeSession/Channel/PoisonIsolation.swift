import DequeModule

/// The state machine of isolated retry, which finds the event that terminates a worker.
///
/// When a worker terminates, any event that was in flight may be the cause. The next incarnation receives these events
/// one at a time. If the turn in which the worker terminated is known, only the events up to that one are suspected. An
/// event is quarantined after it has terminated two incarnations, either in its turn or while it was the only event in
/// flight.
struct PoisonIsolation: Sendable {
    /// An event that was sent to a worker.
    struct Event: Sendable, Hashable {
        let channel: UInt32
        let number: UInt64
    }

    /// The incarnations that terminated while an event was in flight.
    struct Terminations: Sendable, Equatable {
        /// Incarnations that the event has terminated: it was the only event in flight, or it was its turn.
        var alone: [UInt64] = []
        /// Incarnations that terminated while the event was one of several in flight.
        var amongOthers: [UInt64] = []
    }

    /// The suspected event that is retried now or next. Nil if no event is suspected.
    var first: Event? { queue.first }
    /// Whether the first suspected event is in flight.
    private(set) var isRetrying = false
    private var queue: Deque<Event> = []
    private var terminations: [Event: Terminations] = [:]

    /// Records that an incarnation terminated.
    ///
    /// - Parameters:
    ///   - incarnation: The incarnation that terminated.
    ///   - inFlight: The events that were in flight. While events are suspected, this is at most the one that was
    ///     retried.
    ///   - blame: The possible culprits. A termination from outside isolates no event.
    /// - Returns: The event that must be quarantined, with the terminations that count against it.
    mutating func workerTerminated(
        _ incarnation: UInt64,
        inFlight: [Event],
        blame: Blame
    ) -> (event: Event, terminations: Terminations)? {
        isRetrying = false
        switch blame {
        case .nobody, .effects: return nil
        case .event(let number, let channel):
            let culprit = Event(channel: channel, number: number)
            guard inFlight.contains(culprit) else { return nil }
            // Earlier events of the same channel must be sent before it again, so they are retried as well.
            for event in inFlight where event.channel == channel && event.number <= number { isolate(event) }
            terminations[culprit]?.alone.append(incarnation)
            return takeOut(culprit)
        case .anything:
            for event in inFlight { isolate(event) }
            guard inFlight.count == 1, let culprit = inFlight.first else {
                for event in inFlight { terminations[event]?.amongOthers.append(incarnation) }
                return nil
            }
            terminations[culprit]?.alone.append(incarnation)
            return takeOut(culprit)
        }
    }

    private mutating func isolate(_ event: Event) {
        guard terminations[event] == nil else { return }
        queue.append(event)
        terminations[event] = Terminations()
    }

    /// Removes an event from the isolated events if it has terminated as many incarnations as it may.
    ///
    /// - Returns: The event with the terminations that count against it, or nil if it stays isolated.
    private mutating func takeOut(_ event: Event) -> (event: Event, terminations: Terminations)? {
        guard let terminations = terminations[event], terminations.alone.count >= PoisonedEvent.maximumIncarnations
        else {
            return nil
        }
        self.terminations[event] = nil
        queue.removeAll { $0 == event }
        return (event, terminations)
    }

    /// Records that the first suspected event was sent alone.
    mutating func markFirstSent() {
        isRetrying = true
    }

    /// Removes the first isolated event, because a worker has acknowledged it or it has ended otherwise.
    mutating func removeFirst() {
        isRetrying = false
        if let event = queue.popFirst() { terminations[event] = nil }
    }
}
