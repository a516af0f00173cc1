import DequeModule

/// The state machine that limits the one-way calls in progress to each actor. It does no I/O.
///
/// When a call ends, the first waiting call gets its place, so calls begin in the order in which they were made.
struct OneWayRoom<Waiter> {
    /// The decision about a new call.
    enum Step {
        case go
        case wait(Place)
        case refuse
    }

    struct Place: Hashable {
        let actor: LatticeActorID
        let number: UInt64
    }

    private struct Actor {
        var underWay = 0
        var waiting: Deque<(place: Place, waiter: Waiter)> = []
    }

    private let maximum: Int
    private let maximumWaiting: Int
    private var actors: [LatticeActorID: Actor] = [:]
    private var waiting = 0
    private var last: UInt64 = 0

    /// Creates the state machine.
    ///
    /// - Parameters:
    ///   - maximum: The maximum number of calls in progress to one actor.
    ///   - maximumWaiting: The maximum number of calls that wait, for all actors together.
    init(maximum: Int, maximumWaiting: Int) {
        self.maximum = maximum
        self.maximumWaiting = maximumWaiting
    }

    /// Decides whether a new call is sent, waits, or is refused.
    mutating func take(_ id: LatticeActorID, _ waiter: @autoclosure () -> Waiter) -> Step {
        guard actors[id, default: Actor()].underWay >= maximum else {
            actors[id, default: Actor()].underWay += 1
            return .go
        }
        guard waiting < maximumWaiting else { return .refuse }
        last += 1
        waiting += 1
        let place = Place(actor: id, number: last)
        actors[id, default: Actor()].waiting.append((place, waiter()))
        return .wait(place)
    }

    /// Ends a call that has been answered or could not be sent.
    ///
    /// - Returns: The waiter that gets its place, or nil if no call waited.
    mutating func end(_ id: LatticeActorID) -> Waiter? {
        guard let index = actors.index(forKey: id) else { return nil }
        if let next = actors.values[index].waiting.popFirst() {
            waiting -= 1
            return next.waiter
        }
        actors.values[index].underWay -= 1
        if actors.values[index].underWay == 0 { actors.remove(at: index) }
        return nil
    }

    /// Removes a waiting call.
    ///
    /// - Returns: False if the call no longer waited, because it has a place.
    mutating func stopWaiting(_ place: Place) -> Bool {
        guard let index = actors.index(forKey: place.actor),
            let position = actors.values[index].waiting.firstIndex(where: { $0.place == place })
        else { return false }
        actors.values[index].waiting.remove(at: position)
        waiting -= 1
        return true
    }
}
