import LatticeConcurrency
import LatticeSession
package import LatticeWire

/// The methods of a node itself: names, ends of actors, and questions to features.
extension ActorNode {
    /// Begins a call of the node itself.
    func beginOwn(_ call: ActorCall, _ context: CallContext, _ answer: IncomingCall) -> (any RunningCall)? {
        do throws(WireError) {
            switch NodeMethod(rawValue: call.method) {
            case .publish?: publish(try NamedActor(bytes: call.arguments), answer)
            case .withdraw?: withdraw(try NamedActor(bytes: call.arguments), answer)
            case .find?:
                let search = try NameSearch(bytes: call.arguments)
                return wait(for: .anyActor, search.identifier, search.waitMilliseconds, answer)
            case .servers?:
                let search = try ServerSearch(bytes: call.arguments)
                return wait(for: .change(of: search.known), search.identifier, search.waitMilliseconds, answer)
            case .ended?: return awaitEnd(of: try ActorOfNode(bytes: call.arguments).actor, answer)
            case .ask?: return beginAnswering(try ChannelQuestion(bytes: call.arguments), context, answer)
            case .methods?: answerMethods(of: try ActorOfNode(bytes: call.arguments).actor, answer)
            case nil:
                let methods = NodeMethod.allCases.map(\.rawValue).joined(separator: ", ")
                let reason = "a node has no method \"\(call.method)\"; its methods are: \(methods)"
                answer.end(ActorReply(call: 0, code: .noMethod, reason: reason))
            }
        } catch {
            answer.end(ActorReply(call: 0, code: .undecodable, reason: error.sentence))
        }
        return nil
    }

    private func refuseUnlessHub(_ answer: IncomingCall) -> Bool {
        guard !isHub else { return false }
        answer.end(ActorReply(call: 0, code: .refused, reason: "only a coordinator knows names; ask the coordinator"))
        return true
    }

    // MARK: Serving

    /// Gives an actor of this node a name. Through the hub, every other node can find the name too.
    ///
    /// - Parameters:
    ///   - name: A name of 1 to 255 bytes.
    ///   - actor: The number of the actor.
    /// - Returns: `false` if another actor of this node has the name, or if the node has too many names.
    package func publish(_ name: String, _ actor: UInt64) -> Bool {
        let (isPublished, session, waits) = core.withLock { core -> (Bool, Session?, [NameWait]) in
            guard core.ownNames[name] == nil, core.ownNames.count < CallLimits.maximumNames else {
                return (false, nil, [])
            }
            core.ownNames[name] = actor
            if isHub { return (true, nil, core.names.publish(name, .init(session: nil, actor: actor)) ?? []) }
            let uplink = core.table.uplink.flatMap { core.sessions[$0] }
            if let uplink { publish(name, actor, over: uplink, &core) }
            return (true, uplink?.base, [])
        }
        session?.flushSoon()
        for wait in waits { wait.recheck() }
        return isPublished
    }

    /// Publishes a name at the hub. The method does not wait for the answer, because it can only be a confirmation.
    func publish(_ name: String, _ actor: UInt64, over session: CallSession, _ core: inout Core) {
        callHub(.publish, NamedActor(identifier: name, actor: actor), over: session, &core)
    }

    private func callHub(_ method: NodeMethod, _ named: NamedActor, over session: CallSession, _ core: inout Core) {
        guard let node = core.table.peer(of: session.id) else { return }
        // If the session has ended, the name is published again over the next session.
        guard let (_, number) = try? core.table.send(PendingCall(), to: node, .unlimited) else { return }
        _ = session.append(ActorCall(call: number, actor: 0, method: method.rawValue, arguments: named.bytes))
    }

    /// Removes a name of this node.
    package func withdraw(_ name: String) {
        let (session, waits) = core.withLock { core -> (Session?, [NameWait]) in
            guard let actor = core.ownNames.removeValue(forKey: name) else { return (nil, []) }
            return withdraw(name, actor, &core)
        }
        session?.flushSoon()
        for wait in waits { wait.recheck() }
    }

    private func withdraw(_ name: String, _ actor: UInt64, _ core: inout Core) -> (Session?, [NameWait]) {
        let waits = isHub ? core.names.withdraw(name, session: nil, actor: actor) : []
        guard let uplink = core.table.uplink.flatMap({ core.sessions[$0] }) else { return (nil, waits) }
        callHub(.withdraw, NamedActor(identifier: name, actor: actor), over: uplink, &core)
        return (uplink.base, waits)
    }

    /// Removes the names of an actor of this node that has ended, and answers the calls that wait for its end.
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
        for wait in waits { wait.recheck() }
        for waiter in waiters { waiter.end(ActorReply(call: 0, code: .returned)) }
    }

    private func publish(_ named: NamedActor, _ answer: IncomingCall) {
        guard !refuseUnlessHub(answer) else { return }
        let waits = core.withLock { core -> [NameWait]? in
            var (session, isClients): (SessionID?, Bool) = (nil, false)
            if case .session(let from, _) = answer.caller {
                // Names that a retired process publishes now would never be removed.
                guard core.table.takesCalls(from.id) else { return [] }
                (session, isClients) = (from.id, from.isClient)
            }
            return core.names.publish(
                named.identifier,
                .init(session: session, actor: named.actor, isClients: isClients)
            )
        }
        guard let waits else {
            let reason = "a process can have at most \(CallLimits.maximumNames) names; withdraw some of them"
            return answer.end(ActorReply(call: 0, code: .overloaded, reason: reason))
        }
        answer.end(ActorReply(call: 0, code: .returned))
        for wait in waits { wait.recheck() }
    }

    private func withdraw(_ named: NamedActor, _ answer: IncomingCall) {
        guard !refuseUnlessHub(answer) else { return }
        var session: SessionID?
        if case .session(let from, _) = answer.caller { session = from.id }
        let waits = core.withLock { [session] in
            $0.names.withdraw(named.identifier, session: session, actor: named.actor)
        }
        answer.end(ActorReply(call: 0, code: .returned))
        for wait in waits { wait.recheck() }
    }

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
        while true {
            if let own = core.withLock({ $0.ownNames[name] }) { return .success(place(ofOwn: own)) }
            let reply = await askHub(.find, until: deadline) {
                NameSearch(identifier: name, waitMilliseconds: $0).bytes
            }
            // The session ended. There may be a new one before the deadline.
            if reply.code == .lost, !Task.isCancelled, ContinuousClock.now < deadline { continue }
            // The coordinator waits for a name for a limited time only, so the search is repeated.
            if reply.code == .noName, !Task.isCancelled, ContinuousClock.now + .seconds(1) < deadline { continue }
            guard reply.code == .returned, let place = try? ActorPlace(bytes: reply.value ?? []) else {
                let isLate = reply.code == .noName && deadline < latest
                return .failure(CallFailure(isLate ? .deadlinePassed(mayHaveBegun: false) : reply))
            }
            return .success(place)
        }
    }

    /// Returns all actors that have a name.
    ///
    /// - Parameters:
    ///   - name: The name of the actors.
    ///   - known: The version of the list that the caller knows. The method waits until the list has another version.
    ///   - limit: The time to wait for a change. When it has passed, the current list is returned.
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

    /// Makes a call of the hub, as soon as there is a session with it.
    ///
    /// - Parameters:
    ///   - method: The method of the hub.
    ///   - deadline: The instant until which to wait for a session and for an answer.
    ///   - arguments: Returns the encoded arguments, given the milliseconds that remain.
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
        // The call has a deadline of its own, in case the hub does not answer at all.
        call.context.deadline = MonotonicDeadline(in: left + Self.answerTimeout)
        return await ask(call)
    }

    /// The time that the hub may take to answer, in addition to the time that it is asked to wait.
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

    private func place(ofOwn actor: UInt64) -> ActorPlace {
        ActorPlace(node: id.bytes, actor: actor, incarnation: incarnation, title: title)
    }

    private func wait(
        for condition: NameWait.Condition,
        _ name: String,
        _ milliseconds: UInt64,
        _ answer: IncomingCall
    ) -> (any RunningCall)? {
        guard !refuseUnlessHub(answer) else { return nil }
        let limit = min(.milliseconds(Int64(clamping: milliseconds)), CallLimits.maximumNameWait)
        let wait = NameWait(condition, name, for: limit, answer, at: self)
        return !wait.answerIfMet() && wait.begin() ? wait : nil
    }

    /// Returns the place of an actor that has this name now.
    func place(of name: String) -> ActorPlace? {
        core.withLock { core in
            core.names.find(name).flatMap { place(of: $0, core) }
        }
    }

    private func place(of entry: NameTable<NameWait>.Entry, _ core: Core) -> ActorPlace? {
        guard let id = entry.session else { return place(ofOwn: entry.actor) }
        guard let session = core.sessions[id], let node = core.table.peer(of: id) else { return nil }
        return ActorPlace(node: node.bytes, actor: entry.actor, incarnation: session.incarnation, title: session.title)
    }

    /// Returns all actors that have a name now.
    func list(of name: String) -> ServerList {
        core.withLock { core in
            let places = core.names.candidates(for: name).compactMap { place(of: $0, core) }
            return ServerList(
                version: core.names.version(of: name),
                places: Array(places.prefix(MessageLimits.maximumServers))
            )
        }
    }

    private func answerMethods(of actor: UInt64, _ answer: IncomingCall) {
        let host = core.withLock(\.host)
        guard let list = host?.methods(of: actor) else { return answer.end(.noActor(actor, at: title)) }
        answer.end(ActorReply(call: 0, code: .returned, value: list.bytes))
    }

    // MARK: Ends

    private func awaitEnd(of actor: UInt64, _ answer: IncomingCall) -> (any RunningCall)? {
        // The wait is registered before the check whether the actor exists, so that an end between the two is not
        // missed.
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

/// An error for a call that failed.
package struct CallFailure: Error {
    /// The reply that describes the failure.
    package let reply: ActorReply

    /// Creates an error from the reply that describes the failure.
    package init(_ reply: ActorReply) {
        self.reply = reply
    }
}
