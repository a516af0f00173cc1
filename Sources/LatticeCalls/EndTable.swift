/// The waiters for the ends of a node's actors. It does no I/O.
struct EndTable<Waiter> {
    struct ID: Hashable {
        let number: UInt64
    }

    private var waiters: [UInt64: [(id: ID, waiter: Waiter)]] = [:]
    private var places: [ID: UInt64] = [:]
    private var last: UInt64 = 0

    /// Adds a waiter for the end of an actor.
    ///
    /// - Returns: The ID of the waiter, or `nil` if the number of waiters has reached the limit.
    mutating func wait(for actor: UInt64, _ waiter: Waiter) -> ID? {
        guard places.count < CallLimits.maximumWaiters else { return nil }
        last += 1
        let id = ID(number: last)
        places[id] = actor
        waiters[actor, default: []].append((id, waiter))
        return id
    }

    /// Removes a waiter.
    ///
    /// - Returns: The waiter, or `nil` if it was no longer waiting.
    mutating func stopWaiting(_ id: ID) -> Waiter? {
        guard let actor = places.removeValue(forKey: id),
            let index = waiters[actor]?.firstIndex(where: { $0.id == id })
        else { return nil }
        let waiter = waiters[actor]?.remove(at: index).waiter
        if waiters[actor]?.isEmpty == true { waiters[actor] = nil }
        return waiter
    }

    /// Removes and returns the waiters for the end of an actor, in order.
    mutating func ended(_ actor: UInt64) -> [Waiter] {
        guard let ended = waiters.removeValue(forKey: actor) else { return [] }
        for waiter in ended { places[waiter.id] = nil }
        return ended.map(\.waiter)
    }
}
