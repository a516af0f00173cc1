/// Who serves which names, and who waits for somebody to, at the node that knows all nodes. It does no I/O.
///
/// Of several that serve a name each search gets the next one, so that callers spread over them. What clients serve is
/// found only if neither a worker nor the coordinator serves the name.
struct NameTable<Waiter> {
    /// An actor with a name.
    struct Entry: Equatable {
        /// The session with its node; nil: it lives in this one.
        let link: SessionID?
        let actor: UInt64
        /// Whether a client serves it.
        var isClients = false
    }

    struct WaiterID: Hashable {
        let number: UInt64
    }

    private struct Name {
        /// The one that was found last is the last.
        var entries: [Entry] = []
        /// Of another list it is another one.
        var version: UInt64 = 0
        /// Those who want to hear of each change, and those who want anybody.
        var waiters: [(id: WaiterID, waiter: Waiter, hearsAll: Bool)] = []

        var isEmpty: Bool { entries.isEmpty && waiters.isEmpty }
    }

    private var names: [String: Name] = [:]
    /// Sessions of workers that stand by: what they serve is not found yet.
    private var reserve: Set<SessionID> = []
    private var counts: [SessionID?: Int] = [:]
    private var places: [WaiterID: String] = [:]
    private var lastWaiter: UInt64 = 0
    /// Begins anywhere: a list of one coordinator is never taken for one of another.
    private var lastVersion = UInt64.random(in: 1...1 << 48)

    // MARK: Serving

    /// - Returns: Who waited for the name; nil: the node has too many.
    mutating func publish(_ name: String, _ entry: Entry) -> [Waiter]? {
        if names[name]?.entries.contains(entry) == true { return [] }
        guard counts[entry.link, default: 0] < CallLimits.maximumNames else { return nil }
        counts[entry.link, default: 0] += 1
        names[name, default: Name()].entries.append(entry)
        return takeWaiters(of: name)
    }

    /// - Returns: Who waited for a change.
    mutating func withdraw(_ name: String, link: SessionID?, actor: UInt64) -> [Waiter] {
        remove(from: name) { $0.link == link && $0.actor == actor }
    }

    /// A session has ended.
    ///
    /// - Returns: Who waited for a change of what it served.
    mutating func remove(_ link: SessionID) -> [Waiter] {
        reserve.remove(link)
        guard counts[link] != nil else { return [] }
        return names.keys.sorted().flatMap { name in remove(from: name) { $0.link == link } }
    }

    private mutating func remove(from name: String, where isGone: (Entry) -> Bool) -> [Waiter] {
        guard let index = names.index(forKey: name), names.values[index].entries.contains(where: isGone) else {
            return []
        }
        for entry in names.values[index].entries where isGone(entry) {
            let rest = counts[entry.link, default: 1] - 1
            counts[entry.link] = rest == 0 ? nil : rest
        }
        names.values[index].entries.removeAll(where: isGone)
        let waiters = takeWaiters(of: name)
        if names[name]?.isEmpty == true { names[name] = nil }
        return waiters
    }

    /// The session is that of a worker that stands by.
    mutating func keepInReserve(_ link: SessionID) {
        reserve.insert(link)
    }

    /// It stands by no longer.
    ///
    /// - Returns: Who waited for what it serves.
    mutating func use(_ link: SessionID) -> [Waiter] {
        guard reserve.remove(link) != nil, counts[link] != nil else { return [] }
        let served = names.filter { $0.value.entries.contains { $0.link == link } }.keys.sorted()
        return served.flatMap { takeWaiters(of: $0) }
    }

    // MARK: Finding

    /// Who serves a name; another one each time, if there are several.
    mutating func find(_ name: String) -> Entry? {
        guard let found = candidates(for: name).first, let index = names.index(forKey: name) else { return nil }
        names.values[index].entries.removeAll { $0 == found }
        names.values[index].entries.append(found)
        return found
    }

    /// All who serve a name, in the order in which they are found.
    func candidates(for name: String) -> [Entry] {
        let served = names[name]?.entries.filter { $0.link.map { !reserve.contains($0) } ?? true } ?? []
        let own = served.filter { !$0.isClients }
        return own.isEmpty ? served : own
    }

    /// The version of the list of those who serve a name; 0: nobody does.
    func version(of name: String) -> UInt64 { names[name]?.version ?? 0 }

    // MARK: Waiting

    /// - Parameter hearsAll: Whether it waits for any change; false: for anybody who serves the name.
    /// - Returns: nil: too many wait.
    mutating func wait(for name: String, hearsAll: Bool = false, _ waiter: Waiter) -> WaiterID? {
        guard places.count < CallLimits.maximumWaiters else { return nil }
        lastWaiter += 1
        let id = WaiterID(number: lastWaiter)
        places[id] = name
        names[name, default: Name()].waiters.append((id, waiter, hearsAll))
        return id
    }

    /// - Returns: The waiter, if it still waited.
    mutating func stopWaiting(_ id: WaiterID) -> Waiter? {
        guard let name = places.removeValue(forKey: id), let index = names.index(forKey: name),
            let place = names.values[index].waiters.firstIndex(where: { $0.id == id })
        else { return nil }
        let waiter = names.values[index].waiters.remove(at: place).waiter
        if names.values[index].isEmpty { names.remove(at: index) }
        return waiter
    }

    /// Those who wait for what has come about now. The list is another one.
    private mutating func takeWaiters(of name: String) -> [Waiter] {
        guard let index = names.index(forKey: name) else { return [] }
        let isServed = !candidates(for: name).isEmpty
        lastVersion += 1
        // A list with nobody is the one that who knows nothing has.
        names.values[index].version = isServed ? lastVersion : 0
        let due = names.values[index].waiters.filter { $0.hearsAll || isServed }
        names.values[index].waiters.removeAll { $0.hearsAll || isServed }
        for waiter in due { places[waiter.id] = nil }
        return due.map(\.waiter)
    }
}
