/// The names of actors at the hub, and the searches that wait for them. It does no I/O.
///
/// If several actors have a name, each search finds the next one in turn, so that callers are spread over them. Actors
/// of clients are found only if neither a worker nor the coordinator has an actor with the name.
struct NameTable<Waiter> {
    /// An actor with a name.
    struct Entry: Equatable {
        /// The session with the actor's node, or `nil` if the actor is in this process.
        let session: SessionID?
        let actor: UInt64
        /// Whether the actor belongs to a client.
        var isClients = false
    }

    struct WaiterID: Hashable {
        let number: UInt64
    }

    private struct Name {
        /// The actors with this name. The one that was found last is at the end.
        var entries: [Entry] = []
        /// The version of the list, which changes whenever the list changes.
        var version: UInt64 = 0
        /// The searches that wait for any change of the list, and those that wait for any actor.
        var waiters: [(id: WaiterID, waiter: Waiter, wantsAnyChange: Bool)] = []

        var isEmpty: Bool { entries.isEmpty && waiters.isEmpty }
    }

    private var names: [String: Name] = [:]
    /// The sessions of standby workers, whose names are not found yet.
    private var reserve: Set<SessionID> = []
    private var counts: [SessionID?: Int] = [:]
    private var places: [WaiterID: String] = [:]
    private var lastWaiter: UInt64 = 0
    /// The last version of any list. It begins at a random number, so that a list of one coordinator is never taken for
    /// a list of another.
    private var lastVersion = UInt64.random(in: 1...1 << 48)

    // MARK: Serving

    /// Adds an actor with a name.
    ///
    /// - Returns: The searches that waited for this, or `nil` if the node has too many names.
    mutating func publish(_ name: String, _ entry: Entry) -> [Waiter]? {
        if names[name]?.entries.contains(entry) == true { return [] }
        guard counts[entry.session, default: 0] < CallLimits.maximumNames else { return nil }
        counts[entry.session, default: 0] += 1
        names[name, default: Name()].entries.append(entry)
        return takeWaiters(of: name)
    }

    /// Removes an actor with a name.
    ///
    /// - Returns: The searches that waited for a change.
    mutating func withdraw(_ name: String, session: SessionID?, actor: UInt64) -> [Waiter] {
        remove(from: name) { $0.session == session && $0.actor == actor }
    }

    /// Removes all names of a session that has ended.
    ///
    /// - Returns: The searches that waited for a change of these names.
    mutating func remove(_ session: SessionID) -> [Waiter] {
        reserve.remove(session)
        guard counts[session] != nil else { return [] }
        return names.keys.sorted().flatMap { name in remove(from: name) { $0.session == session } }
    }

    private mutating func remove(from name: String, where isGone: (Entry) -> Bool) -> [Waiter] {
        guard let index = names.index(forKey: name), names.values[index].entries.contains(where: isGone) else {
            return []
        }
        for entry in names.values[index].entries where isGone(entry) {
            let rest = counts[entry.session, default: 1] - 1
            counts[entry.session] = rest == 0 ? nil : rest
        }
        names.values[index].entries.removeAll(where: isGone)
        let waiters = takeWaiters(of: name)
        if names[name]?.isEmpty == true { names[name] = nil }
        return waiters
    }

    /// Hides the names of a session with a standby worker.
    mutating func keepInReserve(_ session: SessionID) {
        reserve.insert(session)
    }

    /// Shows the names of a standby worker that is now in use.
    ///
    /// - Returns: The searches that waited for these names.
    mutating func use(_ session: SessionID) -> [Waiter] {
        guard reserve.remove(session) != nil, counts[session] != nil else { return [] }
        let served = names.filter { $0.value.entries.contains { $0.session == session } }.keys.sorted()
        return served.flatMap { takeWaiters(of: $0) }
    }

    // MARK: Finding

    /// Returns an actor with this name. If there are several, each call returns another one.
    mutating func find(_ name: String) -> Entry? {
        guard let found = candidates(for: name).first, let index = names.index(forKey: name) else { return nil }
        names.values[index].entries.removeAll { $0 == found }
        names.values[index].entries.append(found)
        return found
    }

    /// Returns all actors with this name that can be found, in the order in which they will be found.
    func candidates(for name: String) -> [Entry] {
        let served = names[name]?.entries.filter { $0.session.map { !reserve.contains($0) } ?? true } ?? []
        let own = served.filter { !$0.isClients }
        return own.isEmpty ? served : own
    }

    /// Returns the version of the list of actors with this name, or 0 if there is no actor.
    func version(of name: String) -> UInt64 { names[name]?.version ?? 0 }

    // MARK: Waiting

    /// Adds a search that waits.
    ///
    /// - Parameter wantsAnyChange: Whether the search waits for any change of the list. If `false`, it waits for any
    ///   actor.
    /// - Returns: The ID of the search, or `nil` if the number of waiting searches has reached the limit.
    mutating func wait(for name: String, wantsAnyChange: Bool = false, _ waiter: Waiter) -> WaiterID? {
        guard places.count < CallLimits.maximumWaiters else { return nil }
        lastWaiter += 1
        let id = WaiterID(number: lastWaiter)
        places[id] = name
        names[name, default: Name()].waiters.append((id, waiter, wantsAnyChange))
        return id
    }

    /// Removes a search.
    ///
    /// - Returns: The search, or `nil` if it was no longer waiting.
    mutating func stopWaiting(_ id: WaiterID) -> Waiter? {
        guard let name = places.removeValue(forKey: id), let index = names.index(forKey: name),
            let place = names.values[index].waiters.firstIndex(where: { $0.id == id })
        else { return nil }
        let waiter = names.values[index].waiters.remove(at: place).waiter
        if names.values[index].isEmpty { names.remove(at: index) }
        return waiter
    }

    /// Gives the list a new version, and removes and returns the searches whose conditions are met.
    private mutating func takeWaiters(of name: String) -> [Waiter] {
        guard let index = names.index(forKey: name) else { return [] }
        let isServed = !candidates(for: name).isEmpty
        lastVersion += 1
        // An empty list has version 0, which is also the version that a caller without a list sends.
        names.values[index].version = isServed ? lastVersion : 0
        let due = names.values[index].waiters.filter { $0.wantsAnyChange || isServed }
        names.values[index].waiters.removeAll { $0.wantsAnyChange || isServed }
        for waiter in due { places[waiter.id] = nil }
        return due.map(\.waiter)
    }
}
