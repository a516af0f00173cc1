import DequeModule

/// How many calls nobody waits for may be under way to each actor, and who waits until there are fewer. It does no I/O.
///
/// Whoever waits gets the place of a call that ends, in order, so that calls begin in theirs.
struct OneWayRoom<Waiter> {
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

    /// - Parameters:
    ///   - maximum: How many are under way to one actor.
    ///   - maximumWaiting: How many wait, for all actors.
    init(maximum: Int, maximumWaiting: Int) {
        self.maximum = maximum
        self.maximumWaiting = maximumWaiting
    }

    /// A call is to be sent.
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

    /// A call has ended, or is not sent.
    ///
    /// - Returns: Who has its place now.
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

    /// - Returns: Whether it still waited; false: it has a place.
    mutating func stopWaiting(_ place: Place) -> Bool {
        guard let index = actors.index(forKey: place.actor),
            let position = actors.values[index].waiting.firstIndex(where: { $0.place == place })
        else { return false }
        actors.values[index].waiting.remove(at: position)
        waiting -= 1
        return true
    }
}
