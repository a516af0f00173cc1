import LatticeCore

/// Where the workers of a group and of the groups in it stand, and which of them are to start or to end.
///
/// Each input is a function that returns orders. The whole group is looked over behind each: what is to be done follows
/// from where everybody stands and not from how it came to that, so inputs may come at any moment and in any order. One
/// that does not fit changes nothing. Time and chance come in as arguments.
struct GroupState: Sendable {
    /// A worker or a group, by its number in the order in which they were added. 0 is the group that all are in.
    typealias ID = Int
    typealias Instant = ContinuousClock.Instant

    /// Where a worker stands.
    enum MemberPhase: Sendable, Equatable {
        /// It has no life and asks for none yet: it was not heard of, or a wait of its own is not over.
        case waiting
        /// It has no life and asks for one.
        case ready
        /// It was told to start, and does not serve yet.
        case starting
        case serving
        /// It was told to end, and is still there.
        case ending
        /// It ended for good, as its kind allows.
        case done
        /// It, or a group that it is in, was given up: it asks for no life before a reset or a probe.
        case givenUp
        /// It was told to stop for good, and may still be there.
        case stopping

        var isLife: Bool { self == .starting || self == .serving || self == .ending || self == .stopping }
        /// Whether those that start behind it need not wait for it.
        var lets: Bool { self == .serving || self == .done || self == .givenUp }
    }

    /// Where a group stands.
    enum GroupPhase: Sendable, Equatable {
        /// Its children are to be there.
        case running
        /// It was given up, and the group that it is in has it start anew after a wait.
        case waiting
        /// It was given up for this reason.
        case failed(HostFailure)
        /// It is done, for this reason.
        case done(HostFailure)
    }

    /// What to do.
    enum Order: Sendable, Equatable {
        case start(ID)
        /// End the present life of a worker in order, for the sake of this group.
        case end(ID, by: String)
        /// A worker takes no events until it is revived: a group that it is in was given up, or is done.
        case giveUp(ID, HostFailure)
        /// A worker that was given up, or was done, is to be started anew.
        case revive(ID, GroupPermit.Revival)
        /// It is this worker's turn to stop for good.
        case stop(ID)
        /// Call `waited` after this time.
        case wait(Wait, Duration)
        /// For the log.
        case note(String, isError: Bool)
    }

    /// A wait of a group. One that is older than the group's last change is over without a word.
    struct Wait: Sendable, Equatable {
        let group: ID
        fileprivate(set) var number = 0
    }

    /// How a life of a worker has ended.
    enum End: Sendable, Equatable {
        /// As it was ordered to.
        case inOrder
        /// By itself; it asks for the next life after a wait of its own.
        case died(Death)
        /// For good, as its kind allows.
        case done(Interruption.Cause)
        /// By itself; its own policy gives it up.
        case givenUp
        /// It was none, as there was no room for it; it asks again after a wait.
        case lacked
    }

    struct Death: Sendable, Equatable {
        let life: UInt64
        let cause: Interruption.Cause
        var excuse = RestartBudget.Excuse.none
    }

    struct Worker: Sendable {
        let group: ID
        var standing = MemberPhase.waiting
        /// The group for whose sake its present life is to end.
        var restartCause: ID?
    }

    struct Group: Sendable {
        let parent: ID?
        let rules: GroupRules
        /// In the order of their starts.
        var children: [ID] = []
        var fate = GroupPhase.running
        /// Whether what it has of lives is to end before there are new ones.
        var isTerminating = false
        /// What counts against its children together.
        var count: GroupCount
        /// What counts against it, as the group that it is in sees it.
        var budget: RestartBudget
        /// The number of its last wait.
        var waits = 0
        /// How often it was started.
        var lives: UInt64 = 1
        var since: Instant?
    }

    var workers: [ID: Worker] = [:]
    var groups: [ID: Group] = [:]
    var isStopping = false
    private var lastID = -1
    var orders: [Order] = []

    init(_ rules: GroupRules) {
        addGroup(rules, to: nil)
    }

    // MARK: Who there is

    @discardableResult
    mutating func addGroup(_ rules: GroupRules, to parent: ID?) -> ID {
        lastID += 1
        let policy = parent.flatMap { groups[$0]?.rules.restart } ?? rules.restart
        groups[lastID] = Group(
            parent: parent,
            rules: rules,
            count: GroupCount(rules),
            budget: RestartBudget(policy: policy)
        )
        if let parent { groups[parent]?.children.append(lastID) }
        return lastID
    }

    mutating func addWorker(to group: ID) -> ID {
        lastID += 1
        workers[lastID] = Worker(group: group)
        groups[group]?.children.append(lastID)
        return lastID
    }

    /// A worker is gone for good, and nobody runs it any more.
    mutating func left(_ worker: ID) -> [Order] {
        guard let group = workers.removeValue(forKey: worker)?.group else { return [] }
        groups[group]?.children.removeAll { $0 == worker }
        return look()
    }

    // MARK: A life

    /// A worker asks for its next life.
    mutating func ready(_ worker: ID, at now: Instant) -> [Order] {
        guard workers[worker]?.standing != .stopping else { return [] }
        workers[worker]?.standing = .ready
        workers[worker]?.restartCause = nil
        for group in groups.keys where groups[group]?.since == nil { groups[group]?.since = now }
        return look()
    }

    mutating func served(_ worker: ID) -> [Order] {
        guard workers[worker]?.standing == .starting else { return [] }
        workers[worker]?.standing = .serving
        return look()
    }

    /// A life of a worker is over, and nothing is left of it.
    ///
    /// - Parameter chance: A number from 0 to 1, as everywhere below.
    mutating func ended(_ id: ID, _ end: End, at now: Instant, chance: Double) -> [Order] {
        guard let worker = workers[id], worker.standing != .stopping else { return [] }
        workers[id]?.restartCause = nil
        switch end {
        case .inOrder:
            workers[id]?.standing = .ready
        case .lacked:
            workers[id]?.standing = .waiting
        case .givenUp:
            workers[id]?.standing = .givenUp
        case .done(let cause):
            workers[id]?.standing = .done
            childIsDone(in: worker.group, "one of its workers ended: \(cause)")
        case .died(let death):
            workers[id]?.standing = .waiting
            // One that was to end anyway joins what is under way.
            guard worker.restartCause == nil else { break }
            childDied(id, in: worker.group, death, hasServed: worker.standing == .serving, at: now, chance)
        }
        return look()
    }

    /// - Parameter hasServed: Whether others may rely on what it had in memory.
    private mutating func childDied(
        _ child: ID,
        in id: ID,
        _ death: Death,
        hasServed: Bool,
        at now: Instant,
        _ chance: Double
    ) {
        guard let group = groups[id], group.fate == .running else { return }
        if let reason = groups[id]?.count.add(death, of: child, since: group.since, at: now) {
            return fail(id, reason, at: now, chance)
        }
        guard hasServed, let place = group.children.firstIndex(of: child) else { return }
        let others: [ID]
        switch group.rules.strategy {
        case .oneForAll: others = group.children.filter { $0 != child }
        case .restForOne: others = Array(group.children[(place + 1)...])
        default: return
        }
        for other in others { condemn(other, by: id) }
        orders.append(
            .note("the group \"\(group.rules.name)\" restarts, \(group.rules.strategy): \(death.cause)", isError: false)
        )
    }

    // MARK: The end of a group

    /// A group is given up.
    private mutating func fail(_ id: ID, _ reason: String, at now: Instant, _ chance: Double) {
        guard let group = groups[id] else { return }
        let cause = Interruption.Cause.group(group.rules.name)
        var verdict = RestartBudget.Verdict.giveUp("")
        if group.parent != nil {
            let death = RestartBudget.Death(
                life: group.lives,
                cause: cause,
                since: group.since ?? now,
                time: now,
                hasProgressed: true
            )
            verdict = groups[id]?.budget.died(death, chance: chance) ?? verdict
        }
        if case .restart(let restart) = verdict, let parent = group.parent {
            end(id, .waiting)
            orders.append(.note("\(reason); it starts anew in \(restart.delay)", isError: true))
            orders.append(.wait(nextWait(of: id), restart.delay))
            let death = Death(life: group.lives, cause: cause)
            childDied(id, in: parent, death, hasServed: true, at: now, chance)
        } else {
            let probe = (group.parent.flatMap { groups[$0] } ?? group).rules.restart.probeDelay
            let reason = reason + (probe.map { "; it is tried again in \($0)" } ?? "")
            end(id, .failed(HostFailure(reason: reason, result: .startLimitHit)))
            orders.append(.note(reason, isError: true))
            if let probe { orders.append(.wait(nextWait(of: id), probe)) }
        }
    }

    /// A child of a group that may be done, is.
    private mutating func childIsDone(in id: ID, _ sentence: String) {
        guard let group = groups[id], group.fate == .running else { return }
        switch group.rules.autoShutdown {
        case .any: break
        case .all: guard group.children.allSatisfy({ !mayBeDone($0) || isDone($0) }) else { return }
        default: return
        }
        let reason = "the group \"\(group.rules.name)\" is done: \(sentence)"
        end(id, .done(HostFailure(reason: reason)))
        orders.append(.note(reason, isError: false))
        if let parent = group.parent { childIsDone(in: parent, "its group \"\(group.rules.name)\" is") }
    }

    private mutating func end(_ group: ID, _ fate: GroupPhase) {
        groups[group]?.fate = fate
        groups[group]?.count.forget()
        condemn(group, by: group)
    }

    private func mayBeDone(_ child: ID) -> Bool {
        if let group = workers[child]?.group { return groups[group]?.rules.restart.kind != .permanent }
        return groups[child].map { $0.rules.autoShutdown != .never } ?? false
    }

    private func isDone(_ child: ID) -> Bool {
        if case .done = groups[child]?.fate { return true }
        return workers[child]?.standing == .done
    }

    // MARK: The next try of a group

    private mutating func nextWait(of id: ID) -> Wait {
        groups[id]?.waits += 1
        return Wait(group: id, number: groups[id]?.waits ?? 0)
    }

    /// A wait is over.
    mutating func waited(_ wait: Wait, at now: Instant) -> [Order] {
        guard let group = groups[wait.group], group.waits == wait.number, group.fate != .running else { return [] }
        let isProbe = group.fate != .waiting
        groups[wait.group]?.fate = .running
        if isProbe {
            orders.append(
                .note("the group \"\(group.rules.name)\", which was given up, is tried again", isError: false)
            )
            groups[wait.group]?.budget.probe()
            groups[wait.group]?.count.probe()
        }
        // Those of a group around it that was given up itself wait for that.
        if ancestors(of: wait.group).allSatisfy({ $0.fate == .running }) { revive(wait.group, .probe, at: now) }
        return look()
    }

    /// Somebody wants a worker to be started again: whatever group keeps it from that is started anew.
    mutating func reset(_ worker: ID, at now: Instant) -> [Order] {
        var outermost: ID?
        var next = workers[worker]?.group
        while let id = next, let group = groups[id] {
            if group.fate != .running { outermost = id }
            next = group.parent
        }
        guard let outermost else { return [] }
        groups[outermost]?.waits += 1
        groups[outermost]?.fate = .running
        groups[outermost]?.budget.reset()
        revive(outermost, .byHand, at: now)
        return look()
    }

    /// All that is in a group is started anew, also what was given up by itself or done.
    private mutating func revive(_ id: ID, _ revival: GroupPermit.Revival, at now: Instant) {
        groups[id]?.since = now
        groups[id]?.lives += 1
        for child in groups[id]?.children ?? [] {
            switch (workers[child]?.standing, groups[child]?.fate) {
            case (.givenUp?, _), (.done?, _):
                workers[child]?.standing = .waiting
                orders.append(.revive(child, revival))
            case (_, .failed?), (_, .done?):
                groups[child]?.waits += 1
                groups[child]?.fate = .running
                revive(child, revival, at: now)
            case (_, .running?): revive(child, revival, at: now)
            default: break
            }
        }
    }

    private func ancestors(of id: ID) -> [Group] {
        var result: [Group] = []
        var next = groups[id]?.parent
        while let group = next.flatMap({ groups[$0] }) {
            result.append(group)
            next = group.parent
        }
        return result
    }

    // MARK: The end

    /// All are to stop for good.
    mutating func stop() -> [Order] {
        isStopping = true
        return look()
    }
}
