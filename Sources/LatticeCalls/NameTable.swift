import LatticeWire

/// The names of actors at the hub, and the watches of names. It does no I/O.
///
/// If several actors serve a name, each list of them begins with another one in turn, so that callers are spread over
/// them. Actors of clients are listed only if neither a worker nor the coordinator has an actor with the name.
struct NameTable {
    /// An actor with a name.
    struct Entry: Hashable {
        /// The session with the actor's node, or `nil` if the actor is in this process.
        let session: SessionID?
        let actor: UInt64
        /// Whether the actor belongs to a client.
        var isClients = false
    }

    /// A watch of a name.
    struct Watch: Hashable {
        /// The session with the process that watches, or `nil` if it is this process.
        let session: SessionID?
        /// The number that the process has given to the watch.
        let number: UInt64
    }

    private struct Name {
        /// The actors with this name. The one that was first in the last list is at the end.
        var entries: [Entry] = []
        var watches: Set<Watch> = []

        var isEmpty: Bool { entries.isEmpty && watches.isEmpty }
    }

    /// A process that watches names.
    private struct Watcher {
        /// The number of the last watch that the process has begun.
        var last: UInt64 = 0
        /// The watched names by the numbers of the watches.
        var names: [UInt64: String] = [:]
    }

    private var names: [String: Name] = [:]
    /// The sessions of standby workers, whose names are not listed yet.
    private var reserve: Set<SessionID> = []
    /// The number of names that each session has published.
    private var counts: [SessionID?: Int] = [:]
    private var watchers: [SessionID?: Watcher] = [:]

    // MARK: Serving

    /// Adds an actor with a name. If another actor of the same node has the name, the new one takes its place.
    ///
    /// - Returns: The watches that must receive a new list, or `nil` if the node has too many names.
    mutating func publish(_ name: String, _ entry: Entry) -> [Watch]? {
        if let index = names[name]?.entries.firstIndex(where: { $0.session == entry.session }) {
            return change([name]) { $0.names[name]?.entries[index] = entry }
        }
        guard counts[entry.session, default: 0] < CallLimits.maximumNames else { return nil }
        counts[entry.session, default: 0] += 1
        return change([name]) { $0.names[name, default: Name()].entries.append(entry) }
    }

    /// Removes the actor with a name that a session has published.
    ///
    /// - Returns: The watches that must receive a new list.
    mutating func withdraw(_ name: String, session: SessionID?) -> [Watch] {
        change([name]) { $0.remove(name, of: session) }
    }

    /// Removes all names of a session that has ended or will end.
    ///
    /// - Returns: The watches that must receive a new list.
    mutating func remove(_ session: SessionID) -> [Watch] {
        let served = served(by: session)
        return change(served) { table in
            table.reserve.remove(session)
            for name in served { table.remove(name, of: session) }
        }
    }

    /// Hides the names of a session with a standby worker.
    mutating func keepInReserve(_ session: SessionID) {
        reserve.insert(session)
    }

    /// Shows the names of a standby worker that is now in use.
    ///
    /// - Returns: The watches that must receive a new list.
    mutating func use(_ session: SessionID) -> [Watch] {
        guard reserve.contains(session) else { return [] }
        return change(served(by: session)) { $0.reserve.remove(session) }
    }

    private func served(by session: SessionID) -> [String] {
        guard counts[session] != nil else { return [] }
        return names.filter { $0.value.entries.contains { $0.session == session } }.keys.sorted()
    }

    private mutating func remove(_ name: String, of session: SessionID?) {
        guard let place = names[name]?.entries.firstIndex(where: { $0.session == session }) else { return }
        names[name]?.entries.remove(at: place)
        let rest = counts[session, default: 1] - 1
        counts[session] = rest == 0 ? nil : rest
    }

    /// Changes the actors of some names.
    ///
    /// - Returns: The watches of the names for which other actors are listed now.
    private mutating func change(_ changed: [String], _ body: (inout NameTable) -> Void) -> [Watch] {
        let before = changed.map { Set(candidates(for: $0)) }
        body(&self)
        var due: [Watch] = []
        for (name, before) in zip(changed, before) {
            if Set(candidates(for: name)) != before { due += names[name]?.watches ?? [] }
            removeIfEmpty(name)
        }
        return due
    }

    private mutating func removeIfEmpty(_ name: String) {
        if names[name]?.isEmpty == true { names[name] = nil }
    }

    // MARK: Listing

    /// Returns the actors with a name, and moves the first one to the end for the next list.
    mutating func list(_ name: String) -> [Entry] {
        let listed = candidates(for: name)
        if listed.count > 1, let index = names.index(forKey: name) {
            names.values[index].entries.removeAll { $0 == listed[0] }
            names.values[index].entries.append(listed[0])
        }
        return listed
    }

    /// Returns the actors with this name that can be listed, in order.
    func candidates(for name: String) -> [Entry] {
        let served = names[name]?.entries.filter { $0.session.map { !reserve.contains($0) } ?? true } ?? []
        let own = served.filter { !$0.isClients }
        return own.isEmpty ? served : own
    }

    /// The actors with names, and whether they are listed. In no order.
    var published: [(name: String, entry: Entry, isFound: Bool)] {
        names.flatMap { name, served in
            let found = Set(candidates(for: name))
            return served.entries.map { (name, $0, found.contains($0)) }
        }
    }

    // MARK: Watching

    /// Adds a watch.
    ///
    /// - Throws: A violation, if the number is not above that of the watch before it, or if the process watches too
    ///   many names.
    mutating func watch(_ name: String, as watch: Watch) throws(WireError) {
        var watcher = watchers.removeValue(forKey: watch.session) ?? Watcher()
        defer { watchers[watch.session] = watcher }
        guard watch.number > watcher.last else { throw .watchOutOfOrder(watch.number, after: watcher.last) }
        guard watcher.names.count < CallLimits.maximumWatches else {
            throw .tooManyWatches(maximum: CallLimits.maximumWatches)
        }
        watcher.last = watch.number
        watcher.names[watch.number] = name
        names[name, default: Name()].watches.insert(watch)
    }

    /// Returns the name of a watch, or `nil` if the watch has ended.
    func name(of watch: Watch) -> String? { watchers[watch.session]?.names[watch.number] }

    /// Removes a watch.
    ///
    /// - Throws: A violation, if the watch was never begun.
    mutating func unwatch(_ watch: Watch) throws(WireError) {
        guard watch.number <= watchers[watch.session]?.last ?? 0 else { throw .unknownWatch(watch.number) }
        guard let name = watchers[watch.session]?.names.removeValue(forKey: watch.number) else { return }
        names[name]?.watches.remove(watch)
        removeIfEmpty(name)
    }

    /// Removes all watches of a session that has ended.
    mutating func unwatchAll(of session: SessionID) {
        for (number, name) in watchers.removeValue(forKey: session)?.names ?? [:] {
            names[name]?.watches.remove(Watch(session: session, number: number))
            removeIfEmpty(name)
        }
    }
}
