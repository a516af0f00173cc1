import LatticeConcurrency
package import LatticeWire

/// What a node is asked for itself: names, ends of actors, and questions to features.
extension ActorNode {
    /// Begins a call of the node itself.
    func beginOwn(_ call: ActorCall, _ terms: CallContext, _ answer: IncomingCall) -> (any RunningCall)? {
        do throws(WireError) {
            switch NodeMethod(rawValue: call.method) {
            case .publish?: publish(try NamedActor(bytes: call.arguments), answer)
            case .withdraw?: withdraw(try NamedActor(bytes: call.arguments), answer)
            case .find?:
                let search = try NameSearch(bytes: call.arguments)
                return wait(for: .anybody, search.identifier, search.waitMilliseconds, answer)
            case .servers?:
                let search = try ServerSearch(bytes: call.arguments)
                return wait(for: .change(of: search.known), search.identifier, search.waitMilliseconds, answer)
            case .ended?: return awaitEnd(of: try ActorOfNode(bytes: call.arguments).actor, answer)
            case .ask?: return beginAnswering(try ChannelQuestion(bytes: call.arguments), terms, answer)
            case .methods?: tellMethods(of: try ActorOfNode(bytes: call.arguments).actor, answer)
            case nil:
                let methods = NodeMethod.allCases.map(\.rawValue).joined(separator: ", ")
                let reason = "a node has no method \"\(call.method)\"; it has: \(methods)"
                answer.end(ActorReply(call: 0, code: .noMethod, reason: reason))
            }
        } catch {
            answer.end(ActorReply(call: 0, code: .undecodable, reason: error.sentence))
        }
        return nil
    }

    private func refuseUnlessHub(_ answer: IncomingCall) -> Bool {
        guard !isHub else { return false }
        answer.end(ActorReply(call: 0, code: .refused, reason: "only a coordinator knows names; ask that"))
        return true
    }

    // MARK: Serving

    /// An actor of this node has a name from now on, here and, through the node that knows all, everywhere.
    ///
    /// - Parameter name: 1 to 255 bytes.
    /// - Returns: False if another actor of this node has the name, or there are too many.
    package func publish(_ name: String, _ actor: UInt64) -> Bool {
        let (isPublished, session, waits) = core.withLock { core -> (Bool, Session?, [NameWait]) in
            guard core.ownNames[name] == nil, core.ownNames.count < CallLimits.maximumNames else {
                return (false, nil, [])
            }
            core.ownNames[name] = actor
            if isHub { return (true, nil, core.names.publish(name, .init(link: nil, actor: actor)) ?? []) }
            let link = core.table.uplink.flatMap { core.links[$0] }
            if let link { publish(name, actor, over: link, &core) }
            return (true, link?.session, [])
        }
        session?.flushSoon()
        for wait in waits { wait.woken() }
        return isPublished
    }

    /// Tells the node that knows all. Nobody waits for the answer: it can only be that this is so.
    func publish(_ name: String, _ actor: UInt64, over link: CallSession, _ core: inout Core) {
        tell(.publish, NamedActor(identifier: name, actor: actor), over: link, &core)
    }

    private func tell(_ method: NodeMethod, _ named: NamedActor, over link: CallSession, _ core: inout Core) {
        guard let node = core.table.peer(of: link.id) else { return }
        // No session any more: with the next one it is told again.
        guard let (_, number) = try? core.table.send(PendingCall(), to: node, .unlimited) else { return }
        _ = link.append(ActorCall(call: number, actor: 0, method: method.rawValue, arguments: named.bytes))
    }

    /// Nobody finds the name here any more.
    package func withdraw(_ name: String) {
        let (session, waits) = core.withLock { core -> (Session?, [NameWait]) in
            guard let actor = core.ownNames.removeValue(forKey: name) else { return (nil, []) }
            return withdraw(name, actor, &core)
        }
        session?.flushSoon()
        for wait in waits { wait.woken() }
    }

    private func withdraw(_ name: String, _ actor: UInt64, _ core: inout Core) -> (Session?, [NameWait]) {
        let waits = isHub ? core.names.withdraw(name, link: nil, actor: actor) : []
        guard let link = core.table.uplink.flatMap({ core.links[$0] }) else { return (nil, waits) }
        tell(.withdraw, NamedActor(identifier: name, actor: actor), over: link, &core)
        return (link.session, waits)
    }

    /// An actor of this node has ended: it has no name any more, and who waited for that hears of it.
    package func actorEnded(_ actor: UInt64) {
        let (waiters, session, waits) = core.withLock { core -> ([IncomingCall], Session?, [NameWait]) in
            let waiters = core.ends.ended(actor)
            var (session, waits): (Session?, [NameWait]) = (nil, [])
            for name in core.ownNames.filter({ $0.value == actor }).keys {
                core.ownNames[name] = nil
                let withdrawn = withdraw(name, actor, &core)
                session = withdrawn.0
                waits += withdrawn.1
            }
            return (waiters, session, waits)
        }
        session?.flushSoon()
        for wait in waits { wait.woken() }
        for waiter in waiters { waiter.end(ActorReply(call: 0, code: .returned)) }
    }

    private func publish(_ named: NamedActor, _ answer: IncomingCall) {
        guard !refuseUnlessHub(answer) else { return }
        let waits = core.withLock { core -> [NameWait]? in
            var (link, isClients): (SessionID?, Bool) = (nil, false)
            if case .link(let from, _) = answer.caller {
                // What it serves would stay for ever.
                guard core.table.takesCalls(from.id) else { return [] }
                (link, isClients) = (from.id, from.isClient)
            }
            return core.names.publish(named.identifier, .init(link: link, actor: named.actor, isClients: isClients))
        }
        guard let waits else {
            let reason = "a process serves at most \(CallLimits.maximumNames) names; withdraw some"
            return answer.end(ActorReply(call: 0, code: .overloaded, reason: reason))
        }
        answer.end(ActorReply(call: 0, code: .returned))
        for wait in waits { wait.woken() }
    }

    private func withdraw(_ named: NamedActor, _ answer: IncomingCall) {
        guard !refuseUnlessHub(answer) else { return }
        var link: SessionID?
        if case .link(let from, _) = answer.caller { link = from.id }
        let waits = core.withLock { [link] in
            $0.names.withdraw(named.identifier, link: link, actor: named.actor)
        }
        answer.end(ActorReply(call: 0, code: .returned))
        for wait in waits { wait.woken() }
    }

    // MARK: Finding

    /// The actor of this name: one of this node, or, through the node that knows all, one of another.
    ///
    /// - Parameter limit: How long to wait for somebody to serve it.
    /// - Returns: The place, or why there is none.
    package func find(_ name: String, within limit: Duration) async -> Result<ActorPlace, CallFailure> {
        let latest = ContinuousClock.now + limit
        let deadline = min(latest, TaskDeadline.current ?? latest)
        while true {
            if let own = core.withLock({ $0.ownNames[name] }) { return .success(place(ofOwn: own)) }
            let reply = await askHub(.find, until: deadline) {
                NameSearch(identifier: name, waitMilliseconds: $0).bytes
            }
            // The session broke: there may be another one in time.
            if reply.code == .lost, !Task.isCancelled, ContinuousClock.now < deadline { continue }
            // The coordinator waits for a bounded time.
            if reply.code == .noName, !Task.isCancelled, ContinuousClock.now + .seconds(1) < deadline { continue }
            guard reply.code == .returned, let place = try? ActorPlace(bytes: reply.value ?? []) else {
                let isLate = reply.code == .noName && deadline < latest
                return .failure(CallFailure(isLate ? .deadlinePassed(mayHaveBegun: false) : reply))
            }
            return .success(place)
        }
    }

    /// All who serve a name, when that is another list than the one that is known, or when the limit has passed.
    package func servers(
        of name: String,
        knowing known: UInt64,
        within limit: Duration
    ) async -> Result<(version: UInt64, places: [ActorPlace]), CallFailure> {
        let reply = await askHub(.servers, until: .now + limit) {
            ServerSearch(identifier: name, known: known, waitMilliseconds: $0).bytes
        }
        guard reply.code == .returned, let list = try? ServerList(bytes: reply.value ?? []) else {
            return .failure(CallFailure(reply))
        }
        return .success((list.version, list.places))
    }

    /// Asks the node that knows all, when there is a session with it.
    ///
    /// - Parameter arguments: Those of the question, by the milliseconds that are left for it.
    private func askHub(
        _ method: NodeMethod,
        until deadline: ContinuousClock.Instant,
        _ arguments: (UInt64) -> [UInt8]
    ) async -> ActorReply {
        guard let hub = await hub(until: deadline) else {
            return ActorReply(call: 0, code: .noNode, reason: unconnected)
        }
        let left = max(.zero, ContinuousClock.now.duration(to: deadline))
        var call = OutgoingCall(
            to: 0,
            of: hub,
            method: method.rawValue,
            arguments: arguments(UInt64(left.milliseconds))
        )
        // Also where nobody answers at all.
        call.terms.deadline = EventDeadline(in: left + Self.answerTimeout)
        return await ask(call)
    }

    /// How long the node that knows all may take to say that nobody has come.
    package static let answerTimeout: Duration = .seconds(5)

    private var unconnected: String {
        lostHub ?? "the \(title) has no connection to a coordinator, which knows who serves what"
    }

    /// The node that knows all, when there is a session with it; nil: there is none in time.
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

    private func place(ofOwn actor: UInt64) -> ActorPlace {
        ActorPlace(node: id.bytes, actor: actor, incarnation: incarnation, title: title)
    }

    private func wait(
        for what: NameWait.What,
        _ name: String,
        _ milliseconds: UInt64,
        _ answer: IncomingCall
    ) -> (any RunningCall)? {
        guard !refuseUnlessHub(answer) else { return nil }
        let limit = min(.milliseconds(Int64(clamping: milliseconds)), CallLimits.longestNameWait)
        let wait = NameWait(what, name, for: limit, answer, at: self)
        return !wait.look() && wait.begin() ? wait : nil
    }

    /// Where an actor of this name is now.
    func place(of name: String) -> ActorPlace? {
        core.withLock { core in
            core.names.find(name).flatMap { place(of: $0, core) }
        }
    }

    private func place(of entry: NameTable<NameWait>.Entry, _ core: Core) -> ActorPlace? {
        guard let id = entry.link else { return place(ofOwn: entry.actor) }
        guard let link = core.links[id], let node = core.table.peer(of: id) else { return nil }
        return ActorPlace(node: node.bytes, actor: entry.actor, incarnation: link.incarnation, title: link.title)
    }

    /// All who serve a name now.
    func list(of name: String) -> ServerList {
        core.withLock { core in
            let places = core.names.candidates(for: name).compactMap { place(of: $0, core) }
            return ServerList(
                version: core.names.version(of: name),
                places: Array(places.prefix(MessageLimits.maximumServers))
            )
        }
    }

    private func tellMethods(of actor: UInt64, _ answer: IncomingCall) {
        let host = core.withLock(\.host)
        guard let list = host?.methods(of: actor) else { return answer.end(.noActor(actor, at: title)) }
        answer.end(ActorReply(call: 0, code: .returned, value: list.bytes))
    }

    // MARK: Ends

    private func awaitEnd(of actor: UInt64, _ answer: IncomingCall) -> (any RunningCall)? {
        // First, so that no end comes between.
        let (key, host) = core.withLock { ($0.ends.wait(for: actor, answer), $0.host) }
        guard let key else {
            answer.end(.tooManyWait)
            return nil
        }
        let wait = EndWait(key, answer, at: self)
        guard actor == 0 || host?.hasActor(actor) == true else {
            if wait.stop() { answer.end(ActorReply(call: 0, code: .returned)) }
            return nil
        }
        return wait
    }
}

/// How a call failed, as an error.
package struct CallFailure: Error {
    package let reply: ActorReply

    package init(_ reply: ActorReply) {
        self.reply = reply
    }
}
