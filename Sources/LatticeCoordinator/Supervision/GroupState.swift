import LatticeCore

/// The state machine of a group: the phases of its workers and nested groups, and the orders that follow from them.
///
/// Each input is a function that returns orders. After each input the machine examines the whole group. The orders
/// depend on the present phases only and not on how they were reached, so inputs may come at any time and in any order.
/// An input that does not fit the present phase has no effect. The time and random numbers are arguments.
struct GroupState: Sendable {
    /// The number of a worker or group, in the order in which they were added. 0 is the outermost group.
    typealias ID = Int
    typealias Instant = ContinuousClock.Instant

    /// The phase of a worker.
    enum MemberPhase: Sendable, Equatable {
        /// No incarnation runs, and the worker has not asked for one. It is new, or its own restart delay is not over.
        case waiting
        /// No incarnation runs, and the worker asks for one.
        case ready
        /// The worker was ordered to start and does not serve yet.
        case starting
        /// The incarnation serves.
        case serving
        /// The worker was ordered to end, and its incarnation still runs.
        case ending
        /// The worker ended permanently, as its restart kind allows.
        case done
        /// The worker, or a group that contains it, was given up. The worker asks for no incarnation before a reset or
        /// a probe.
        case givenUp
        /// The worker was ordered to stop permanently. Its incarnation may still run.
        case stopping

        var isAlive: Bool { self == .starting || self == .serving || self == .ending || self == .stopping }
        /// Whether the workers that start after this one need not wait for it.
        var allowsNext: Bool { self == .serving || self == .done || self == .givenUp }
    }

    /// The phase of a group.
    enum GroupPhase: Sendable, Equatable {
        /// The children are to run.
        case running
        /// The group was given up, and its parent group restarts it after a delay.
        case waiting
        /// The group was given up for this reason.
        case failed(HostFailure)
        /// The group is done for this reason.
        case done(HostFailure)
    }

    /// An action for the owner of the state machine.
    enum Order: Sendable, Equatable {
        case start(ID)
        /// End the present incarnation of a worker in an orderly way, because the group with this name needs it.
        case end(ID, by: String)
        /// Accept no events for a worker until it is revived, because a group that contains it was given up or is done.
        case giveUp(ID, HostFailure)
        /// Start a worker again that was given up or was done.
        case revive(ID, GroupPermit.Revival)
        /// Stop a worker permanently, because its turn in the stop order has come.
        case stop(ID)
        /// Call `waited` after this delay.
        case wait(Wait, Duration)
        /// Report a change of a group to the observers of the runtime, and to the log.
        case emit(RuntimeEvent)
    }

    /// A delay of a group. A delay that is older than the last change of its group has no effect when it ends.
    struct Wait: Sendable, Equatable {
        let group: ID
        fileprivate(set) var number = 0
    }

    /// How an incarnation of a worker ended.
    enum End: Sendable, Equatable {
        /// It ended because a group had ordered it.
        case inOrder
        /// It ended on its own. The worker asks for the next incarnation after its own restart delay.
        case died(Death)
        /// It ended permanently, as the worker's restart kind allows.
        case done(Interruption.Cause)
        /// It ended on its own, and the worker's own restart policy gave up.
        case givenUp
        /// It did not start because the system lacked resources. The worker asks again after a delay.
        case lacked
    }

    struct Death: Sendable, Equatable {
        let incarnation: UInt64
        let cause: Interruption.Cause
        var excuse = RestartBudget.Excuse.none
    }

    struct Worker: Sendable {
        let group: ID
        var phase = MemberPhase.waiting
        /// The group that needs the end of the present incarnation.
        var restartCause: ID?
    }

    struct Group: Sendable {
        let parent: ID?
        let rules: GroupRules
        /// The workers and nested groups, in the order in which they start.
        var children: [ID] = []
        var phase = GroupPhase.running
        /// Whether all running incarnations in the group must end before new ones start.
        var isTerminating = false
        /// The record of the deaths that count against all children together.
        var count: GroupCount
        /// The record of the failures that count against the group in its parent group.
        var budget: RestartBudget
        /// The number of the last delay.
        var waits = 0
        /// How often the group was started.
        var starts: UInt64 = 1
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

    // MARK: Members

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

    /// Removes a worker whose supervisor has finished.
    mutating func left(_ worker: ID) -> [Order] {
        guard let group = workers.removeValue(forKey: worker)?.group else { return [] }
        groups[group]?.children.removeAll { $0 == worker }
        return nextOrders()
    }

    // MARK: Incarnations

    /// Handles the request of a worker for its next incarnation.
    mutating func ready(_ worker: ID, at now: Instant) -> [Order] {
        guard workers[worker]?.phase != .stopping else { return [] }
        workers[worker]?.phase = .ready
        workers[worker]?.restartCause = nil
        for group in groups.keys where groups[group]?.since == nil { groups[group]?.since = now }
        return nextOrders()
    }

    mutating func served(_ worker: ID) -> [Order] {
        guard workers[worker]?.phase == .starting else { return [] }
        workers[worker]?.phase = .serving
        return nextOrders()
    }

    /// Handles the end of an incarnation, after nothing of it is left.
    ///
    /// - Parameter chance: A random number from 0 to 1, as in the functions below.
    mutating func ended(_ id: ID, _ end: End, at now: Instant, chance: Double) -> [Order] {
        guard let worker = workers[id], worker.phase != .stopping else { return [] }
        workers[id]?.restartCause = nil
        switch end {
        case .inOrder:
            workers[id]?.phase = .ready
        case .lacked:
            workers[id]?.phase = .waiting
        case .givenUp:
            workers[id]?.phase = .givenUp
        case .done(let cause):
            workers[id]?.phase = .done
            childIsDone(in: worker.group, "one of its workers ended: \(cause)")
        case .died(let death):
            workers[id]?.phase = .waiting
            // A group had already ordered its end, so the worker takes part in that restart.
            guard worker.restartCause == nil else { break }
            childDied(id, in: worker.group, death, hasServed: worker.phase == .serving, at: now, chance)
        }
        return nextOrders()
    }

    /// Handles the death of a child.
    ///
    /// - Parameter hasServed: Whether other children may rely on what the child had in memory.
    private mutating func childDied(
        _ child: ID,
        in id: ID,
        _ death: Death,
        hasServed: Bool,
        at now: Instant,
        _ chance: Double
    ) {
        guard let group = groups[id], group.phase == .running else { return }
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
        for other in others { markTerminating(other, by: id) }
        orders.append(
            .emit(.groupRestarted(group: group.rules.name, strategy: "\(group.rules.strategy)", cause: death.cause))
        )
    }

    // MARK: End of a group

    /// Gives up a group.
    private mutating func fail(_ id: ID, _ reason: String, at now: Instant, _ chance: Double) {
        guard let group = groups[id] else { return }
        let cause = Interruption.Cause.group(group.rules.name)
        var verdict = RestartBudget.Verdict.giveUp("")
        if group.parent != nil {
            let death = RestartBudget.Death(
                incarnation: group.starts,
                cause: cause,
                since: group.since ?? now,
                time: now,
                hasProgressed: true
            )
            verdict = groups[id]?.budget.died(death, chance: chance) ?? verdict
        }
        if case .restart(let restart) = verdict, let parent = group.parent {
            end(id, .waiting)
            orders.append(
                .emit(.groupFailed(group: group.rules.name, reason: reason, restartDelay: restart.delay))
            )
            orders.append(.wait(nextWait(of: id), restart.delay))
            let death = Death(incarnation: group.starts, cause: cause)
            childDied(id, in: parent, death, hasServed: true, at: now, chance)
        } else {
            let probe = (group.parent.flatMap { groups[$0] } ?? group).rules.restart.probeDelay
            let reason = reason + (probe.map { "; it is tried again in \($0)" } ?? "")
            end(id, .failed(HostFailure(reason: reason, result: .startLimitHit)))
            orders.append(.emit(.groupFailed(group: group.rules.name, reason: reason, restartDelay: nil)))
            if let probe { orders.append(.wait(nextWait(of: id), probe)) }
        }
    }

    /// Handles that a child of a group, which is allowed to be done, is done.
    private mutating func childIsDone(in id: ID, _ sentence: String) {
        guard let group = groups[id], group.phase == .running else { return }
        switch group.rules.autoShutdown {
        case .any: break
        case .all: guard group.children.allSatisfy({ !mayBeDone($0) || isDone($0) }) else { return }
        default: return
        }
        let reason = "the group \"\(group.rules.name)\" has shut down (autoShutdown): \(sentence)"
        end(id, .done(HostFailure(reason: reason)))
        orders.append(.emit(.groupDone(group: group.rules.name, reason: reason)))
        if let parent = group.parent {
            childIsDone(in: parent, "its nested group \"\(group.rules.name)\" has shut down")
        }
    }

    private mutating func end(_ group: ID, _ phase: GroupPhase) {
        groups[group]?.phase = phase
        groups[group]?.count.forget()
        markTerminating(group, by: group)
    }

    private func mayBeDone(_ child: ID) -> Bool {
        if let group = workers[child]?.group { return groups[group]?.rules.restart.kind != .permanent }
        return groups[child].map { $0.rules.autoShutdown != .never } ?? false
    }

    private func isDone(_ child: ID) -> Bool {
        if case .done = groups[child]?.phase { return true }
        return workers[child]?.phase == .done
    }

    // MARK: Restarts and probes of a group

    private mutating func nextWait(of id: ID) -> Wait {
        groups[id]?.waits += 1
        return Wait(group: id, number: groups[id]?.waits ?? 0)
    }

    /// Handles the end of a delay.
    mutating func waited(_ wait: Wait, at now: Instant) -> [Order] {
        guard let group = groups[wait.group], group.waits == wait.number, group.phase != .running else { return [] }
        let isProbe = group.phase != .waiting
        groups[wait.group]?.phase = .running
        if isProbe {
            orders.append(.emit(.groupProbed(group: group.rules.name)))
            groups[wait.group]?.budget.probe()
            groups[wait.group]?.count.probe()
        }
        // If a surrounding group was given up, its members wait until that group is started again.
        if ancestors(of: wait.group).allSatisfy({ $0.phase == .running }) { revive(wait.group, .probe, at: now) }
        return nextOrders()
    }

    /// Restarts all groups that keep a worker from being started. A caller asked for the reset of that worker.
    mutating func reset(_ worker: ID, at now: Instant) -> [Order] {
        var outermost: ID?
        var next = workers[worker]?.group
        while let id = next, let group = groups[id] {
            if group.phase != .running { outermost = id }
            next = group.parent
        }
        guard let outermost else { return [] }
        groups[outermost]?.waits += 1
        groups[outermost]?.phase = .running
        groups[outermost]?.budget.reset()
        revive(outermost, .manual, at: now)
        return nextOrders()
    }

    /// Starts everything in a group again, including members that were given up on their own or were done.
    private mutating func revive(_ id: ID, _ revival: GroupPermit.Revival, at now: Instant) {
        groups[id]?.since = now
        groups[id]?.starts += 1
        for child in groups[id]?.children ?? [] {
            switch (workers[child]?.phase, groups[child]?.phase) {
            case (.givenUp?, _), (.done?, _):
                workers[child]?.phase = .waiting
                orders.append(.revive(child, revival))
            case (_, .failed?), (_, .done?):
                groups[child]?.waits += 1
                groups[child]?.phase = .running
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

    // MARK: Stop

    /// Stops all workers permanently.
    mutating func stop() -> [Order] {
        isStopping = true
        return nextOrders()
    }
}
