import LatticeConcurrency
import LatticeSession
import LatticeTransport
package import LatticeWire

/// The names of actors. Each node publishes those of its own actors. The hub tells all nodes that watch a name which
/// actors serve it.
extension ActorNode {
    /// What a change of names leads to, outside the lock.
    struct NameEffects {
        /// The waiters for changes of watched names.
        var changes: [OneShot<Void>] = []
        /// The sessions on which messages were added.
        var written: [CallSession] = []
        /// The sessions on which lists are due.
        var due: [CallSession] = []
    }

    /// Changes the state of the node, and then informs those who watch the changed names. A change that throws an error
    /// changes no name.
    func update<Result: Sendable, Failure: Error>(
        _ body: (inout Core) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let (result, effects) = try core.withLock { core throws(Failure) in
            let result = try body(&core)
            defer { core.effects = NameEffects() }
            return (result, core.effects)
        }
        for change in effects.changes { change.complete() }
        for session in effects.written { session.base.flushSoon() }
        // Changes of one tick are sent as one list.
        for session in effects.due { session.base.eventLoop.execute { [self] in sendLists(over: session) } }
        return result
    }

    // MARK: Serving

    /// Gives an actor of this node a name. Through the hub, every other node can find the name too.
    ///
    /// - Parameters:
    ///   - name: A name of 1 to 255 bytes.
    ///   - actor: The number of the actor.
    /// - Returns: `false` if another actor of this node has the name, or if the node has too many names.
    package func publish(_ name: String, _ actor: UInt64) -> Bool {
        update { core in
            guard core.ownNames[name] == nil, core.ownNames.count < CallLimits.maximumNames else { return false }
            core.ownNames[name] = actor
            if isHub {
                mark(core.names.publish(name, .init(session: nil, actor: actor)) ?? [], &core)
            } else {
                sendToHub(NamePublish(identifier: name, actor: actor), &core)
            }
            return true
        }
    }

    /// Removes a name of this node.
    package func withdraw(_ name: String) {
        update { withdraw(name, &$0) }
    }

    private func withdraw(_ name: String, _ core: inout Core) {
        guard core.ownNames.removeValue(forKey: name) != nil else { return }
        if isHub {
            mark(core.names.withdraw(name, session: nil), &core)
        } else {
            sendToHub(NameWithdraw(identifier: name), &core)
        }
    }

    /// Removes the names of an actor of this node that has ended, and answers the calls that wait for its end.
    package func actorEnded(_ actor: UInt64) {
        let waiters = update { core in
            for name in core.ownNames.filter({ $0.value == actor }).keys.sorted() { withdraw(name, &core) }
            return core.ends.ended(actor)
        }
        for waiter in waiters { waiter.end(.returned(nil)) }
    }

    /// Publishes all names and begins all watches over a new session with the hub.
    func introduce(_ core: inout Core) {
        for (name, actor) in core.ownNames { sendToHub(NamePublish(identifier: name, actor: actor), &core) }
        // The numbers of watches grow in each session.
        for (_, watched) in core.watches.sorted(by: { $0.key < $1.key }) { request(watched, &core) }
    }

    /// Sends a message to the hub, if there is a session with it. Otherwise, ``introduce(_:)`` says the same later.
    ///
    /// - Returns: Whether the message was sent.
    @discardableResult
    private func sendToHub(_ message: some WireMessageBody, _ core: inout Core) -> Bool {
        guard let session = core.table.uplink.flatMap({ core.sessions[$0] }), session.append(message) else {
            return false
        }
        core.effects.written.append(session)
        return true
    }

    // MARK: Watching

    /// Begins to watch the actors that serve a name. Call ``WatchedName/end()`` when you no longer need the list.
    package func watch(_ name: String) -> WatchedName {
        update { core in
            let watched = WatchedName(name, at: self)
            begin(watched, &core)
            return watched
        }
    }

    func end(_ watched: WatchedName) {
        update { stop(watched, &$0) }
    }

    func refresh(_ watched: WatchedName) {
        update { core in
            stop(watched, &core)
            begin(watched, &core)
        }
    }

    private func begin(_ watched: WatchedName, _ core: inout Core) {
        core.lastWatch += 1
        watched.assign(core.lastWatch)
        if core.watches.count < CallLimits.maximumWatches { core.watches[core.lastWatch] = watched }
        request(watched, &core)
    }

    private func stop(_ watched: WatchedName, _ core: inout Core) {
        let number = watched.number
        guard core.watches.removeValue(forKey: number) != nil else { return }
        if isHub {
            try? core.names.unwatch(.init(session: nil, number: number))
        } else {
            sendToHub(NameUnwatch(watch: number), &core)
        }
    }

    /// Asks for the list of a watched name, as far as it is possible at the moment.
    private func request(_ watched: WatchedName, _ core: inout Core) {
        core.effects.changes.append(watched.set(status(ofNew: watched, &core)))
    }

    private func status(ofNew watched: WatchedName, _ core: inout Core) -> WatchedName.Status {
        guard !core.hasEnded else { return .ended }
        guard core.watches[watched.number] != nil else { return .refused(Self.tooManyWatches) }
        if isHub {
            // The numbers grow, and the limit was checked.
            try? core.names.watch(watched.name, as: .init(session: nil, number: watched.number))
            return .listed(list(watched.name, &core))
        }
        let isAsked = sendToHub(NameWatch(watch: watched.number, identifier: watched.name), &core)
        return isAsked ? .asked : core.lostHub.map { .lost($0) } ?? .unconnected
    }

    /// Sets the status of all watched names.
    func setWatches(to status: WatchedName.Status, _ core: inout Core) {
        core.effects.changes += core.watches.values.map { $0.set(status) }
    }

    private static let tooManyWatches =
        "\(CallLimits.maximumWatches) names are already watched or searched by this process; wait until some searches end"

    // MARK: Finding

    /// Finds the actor with this name. It is an actor of this node, or one that the hub knows.
    ///
    /// - Parameters:
    ///   - name: The name of the actor.
    ///   - limit: The time to wait until an actor has the name.
    /// - Returns: The place of the actor, or the reason why it was not found.
    package func find(_ name: String, within limit: Duration) async -> Result<ActorPlace, CallFailure> {
        let latest = ContinuousClock.now + limit
        let deadline = min(latest, MonotonicDeadline.current.moment ?? latest)
        if let own = ownPlace(of: name) { return .success(own) }
        let watched = watch(name)
        defer { watched.end() }
        var (status, version) = watched.current
        while true {
            var left = ContinuousClock.now.duration(to: deadline)
            // The hub has some time of its own to answer at all.
            if status == .asked { left += Self.answerTimeout }
            switch status {
            case .listed(let places) where !places.isEmpty: return .success(places[0])
            case .refused(let reason): return .failure(CallFailure(.overloaded, reason))
            case .lost(let reason): return .failure(CallFailure(.noNode, reason))
            case .unconnected where left <= .zero, .ended: return .failure(CallFailure(.noNode, unconnected))
            case .asked where left <= .zero: return .failure(.deadlinePassed(mayHaveBegun: false))
            case .listed where left <= .zero:
                return .failure(deadline < latest ? .deadlinePassed(mayHaveBegun: false) : .noName(name))
            case .listed, .unconnected, .asked: break
            }
            (status, version) = await watched.next(after: version, atMost: left)
            if Task.isCancelled { return .failure(CallFailure(.cancelled)) }
        }
    }

    /// The time that the hub may take to answer, in addition to the time that the caller waits for a name.
    package static let answerTimeout: Duration = .seconds(5)

    private var unconnected: String {
        lostHub ?? "the \(title) has no connection to a coordinator, which is needed to find actors by name"
    }

    /// Returns the hub as soon as there is a session with it, or `nil` if there is none before the deadline.
    func hub(until deadline: ContinuousClock.Instant) async -> NodeID? {
        if isHub { return id }
        let left = ContinuousClock.now.duration(to: deadline)
        let waiter = OneShot<Void>()
        let (hub, waits) = core.withLock { core -> (NodeID?, Bool) in
            let hub = core.table.uplink.flatMap { core.table.peer(of: $0) }
            let waits = hub == nil && left > .zero && !core.hasEnded && core.lostHub == nil
            if waits { core.uplinkWaiters.append(waiter) }
            return (hub, waits)
        }
        guard waits else { return hub }
        await waiter.wait(atMost: left)
        return core.withLock { core in
            core.uplinkWaiters.removeAll { $0 === waiter }
            return core.table.uplink.flatMap { core.table.peer(of: $0) }
        }
    }

    private func ownPlace(of name: String) -> ActorPlace? {
        core.withLock { $0.ownNames[name] }.map { place(ofOwn: $0) }
    }

    private func place(ofOwn actor: UInt64) -> ActorPlace {
        ActorPlace(node: id.bytes, actor: actor, incarnation: incarnation, title: title)
    }

    private func place(of entry: NameTable.Entry, _ core: Core) -> ActorPlace? {
        guard let id = entry.session else { return place(ofOwn: entry.actor) }
        guard let session = core.sessions[id], let node = core.table.peer(of: id) else { return nil }
        return ActorPlace(node: node.bytes, actor: entry.actor, incarnation: session.incarnation, title: session.title)
    }

    /// Returns the next list of the actors that serve a name.
    private func list(_ name: String, _ core: inout Core) -> [ActorPlace] {
        core.names.list(name).prefix(MessageLimits.maximumServers).compactMap { place(of: $0, core) }
    }

    // MARK: Telling those who watch

    /// Notes that these watches must receive a new list.
    func mark(_ watches: [NameTable.Watch], _ core: inout Core) {
        for watch in watches {
            if let id = watch.session {
                guard let session = core.sessions[id] else { continue }
                if core.dueLists[id] == nil { core.effects.due.append(session) }
                core.dueLists[id, default: []].insert(watch.number)
            } else if let watched = core.watches[watch.number] {
                core.effects.changes.append(watched.set(.listed(list(watched.name, &core))))
            }
        }
    }

    /// The number of lists that are sent at a time. Each has up to ``MessageLimits/maximumServers`` places, and is made
    /// under the lock of the node.
    private static let listsAtATime = 32

    /// Sends the lists that are due on a session. While messages wait there for room, the lists wait too, and changes
    /// are folded into one list.
    func sendLists(over session: CallSession) {
        update { core in
            guard let due = core.dueLists[session.id] else { return }
            for number in due.prefix(Self.listsAtATime) {
                // The session drains later, and the other lists are sent then.
                guard session.hasEmptyOutbox else { return }
                core.dueLists[session.id]?.remove(number)
                guard let name = core.names.name(of: .init(session: session.id, number: number)) else { continue }
                _ = session.append(NameList(watch: number, places: list(name, &core)))
            }
            core.effects.written.append(session)
            if core.dueLists[session.id]?.isEmpty == true {
                core.dueLists[session.id] = nil
            } else {
                core.effects.due.append(session)
            }
        }
    }

    // MARK: Receiving, on the event loop

    /// Receives a message about names.
    func receive(_ kind: MessageKind, _ body: UnsafeRawBufferPointer, over session: CallSession) throws(WireError) {
        switch kind {
        case .namePublish: try receive(NamePublish(decoding: body), over: session)
        case .nameWithdraw: try receive(NameWithdraw(decoding: body), over: session)
        case .nameWatch: try receive(NameWatch(decoding: body), over: session)
        case .nameUnwatch: try receive(NameUnwatch(decoding: body), over: session)
        case .nameList: try receive(NameList(decoding: body), over: session)
        default: throw .unexpected(kind, at: "a node")
        }
    }

    private func receive(_ message: NamePublish, over session: CallSession) throws(WireError) {
        try refuseUnlessHub(NamePublish.kind)
        let isPublished = update { core in
            // Names that a retired process publishes now would never be removed.
            guard core.table.takesCalls(session.id) else { return true }
            let entry = NameTable.Entry(session: session.id, actor: message.actor, isClients: session.isClient)
            guard let due = core.names.publish(message.identifier, entry) else { return false }
            mark(due, &core)
            return true
        }
        guard isPublished else { throw .tooManyNames(maximum: CallLimits.maximumNames) }
    }

    private func receive(_ message: NameWithdraw, over session: CallSession) throws(WireError) {
        try refuseUnlessHub(NameWithdraw.kind)
        update { core in
            mark(core.names.withdraw(message.identifier, session: session.id), &core)
        }
    }

    private func receive(_ message: NameWatch, over session: CallSession) throws(WireError) {
        try refuseUnlessHub(NameWatch.kind)
        try update { core throws(WireError) in
            try core.names.watch(message.identifier, as: .init(session: session.id, number: message.watch))
            core.dueLists[session.id, default: []].insert(message.watch)
        }
        sendLists(over: session)
    }

    private func receive(_ message: NameUnwatch, over session: CallSession) throws(WireError) {
        try refuseUnlessHub(NameUnwatch.kind)
        try update { core throws(WireError) in
            try core.names.unwatch(.init(session: session.id, number: message.watch))
        }
    }

    private func receive(_ message: NameList, over session: CallSession) throws(WireError) {
        guard !isHub else { throw .unexpected(NameList.kind, at: "a coordinator, which knows all names itself") }
        let isKnown = update { core in
            // After a reconnect, the lists of the session before no longer count.
            if session.id == core.table.uplink, let watched = core.watches[message.watch] {
                core.effects.changes.append(watched.set(.listed(message.places)))
            }
            return message.watch <= core.lastWatch
        }
        guard isKnown else { throw .unknownWatch(message.watch) }
    }

    private func refuseUnlessHub(_ kind: MessageKind) throws(WireError) {
        guard isHub else { throw .unexpected(kind, at: "a process that is no coordinator and knows no names") }
    }
}
