import LatticeCore

/// Derives the orders from the present phases.
extension GroupState {
    /// Returns the collected orders and those that the present phases require.
    mutating func nextOrders() -> [Order] {
        drive(0, mayStart: !isStopping)
        defer { orders = [] }
        return orders
    }

    /// Marks the incarnation of a worker, or all incarnations in a group, to be ended because a group needs it.
    mutating func markTerminating(_ id: ID, by restartCause: ID) {
        if let worker = workers[id] {
            if worker.phase.isAlive, worker.restartCause == nil { workers[id]?.restartCause = restartCause }
        } else if isAlive(id) {
            groups[id]?.isTerminating = true
            for child in groups[id]?.children ?? [] { markTerminating(child, by: restartCause) }
        }
    }

    /// Brings a group closer to what its phase requires.
    ///
    /// - Parameter mayStart: Whether the surrounding groups allow new incarnations in the group.
    private mutating func drive(_ id: ID, mayStart: Bool) {
        if groups[id]?.isTerminating == true, !isAlive(id) { groups[id]?.isTerminating = false }
        guard let group = groups[id] else { return }
        let isOrdered = group.rules.strategy != .oneForOne
        var mayStart = mayStart && group.phase == .running && !group.isTerminating
        // Children end in reverse order. A group with an order ends them one after the other.
        for child in group.children.reversed() where mustEnd(child) && isAlive(child) {
            end(child)
            guard isOrdered else { continue }
            // No child starts while another one ends.
            mayStart = false
            break
        }
        for child in group.children {
            if workers[child] != nil {
                settle(child, mayStart: mayStart)
            } else if !(mustEnd(child) && isAlive(child)) {
                drive(child, mayStart: mayStart)
            }
            if isOrdered, !allowsNext(child) { mayStart = false }
        }
        if let failure = group.failure { giveUpMembers(of: id, failure) }
    }

    private mutating func end(_ child: ID) {
        guard let worker = workers[child] else { return drive(child, mayStart: false) }
        if isStopping {
            stop(child)
        } else if worker.phase == .starting || worker.phase == .serving {
            workers[child]?.phase = .ending
            orders.append(.end(child, by: worker.restartCause.flatMap { groups[$0]?.rules.name } ?? ""))
        }
    }

    private mutating func stop(_ worker: ID) {
        guard workers[worker]?.phase != .stopping else { return }
        workers[worker]?.phase = .stopping
        orders.append(.stop(worker))
    }

    /// Starts a worker. While everything stops, a worker without an incarnation gets its stop order at once.
    private mutating func settle(_ worker: ID, mayStart: Bool) {
        if isStopping {
            if workers[worker]?.phase.isAlive == false { stop(worker) }
        } else if mayStart, workers[worker]?.phase == .ready {
            workers[worker]?.phase = .starting
            orders.append(.start(worker))
        }
    }

    /// Gives up those workers of a group in which no incarnation runs any more.
    private mutating func giveUpMembers(of id: ID, _ failure: HostFailure) {
        for child in groups[id]?.children ?? [] {
            switch workers[child]?.phase {
            case .waiting?, .ready?:
                workers[child]?.phase = .givenUp
                orders.append(.giveUp(child, failure))
            case nil: giveUpMembers(of: child, failure)
            default: break
            }
        }
    }

    private func isAlive(_ id: ID) -> Bool {
        if let worker = workers[id] { return worker.phase.isAlive }
        return groups[id]?.children.contains(where: isAlive) ?? false
    }

    private func mustEnd(_ id: ID) -> Bool {
        if isStopping { return true }
        if let worker = workers[id] { return worker.restartCause != nil }
        return groups[id].map { $0.isTerminating || $0.phase != .running } ?? false
    }

    /// Whether the children after this one may start.
    private func allowsNext(_ id: ID) -> Bool {
        if let worker = workers[id] { return worker.phase.allowsNext }
        guard let group = groups[id] else { return true }
        switch group.phase {
        case .waiting: return false
        case .failed, .done: return !isAlive(id)
        case .running: return !group.isTerminating && (group.rules.isDynamic || group.children.allSatisfy(allowsNext))
        }
    }
}

extension GroupState.Group {
    fileprivate var failure: HostFailure? {
        switch phase {
        case .failed(let failure), .done(let failure): failure
        case .running, .waiting: nil
        }
    }
}
