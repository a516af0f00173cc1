import LatticeCore

/// What follows from where everybody stands.
extension GroupState {
    /// The orders that came up, and those that the present state asks for.
    mutating func look() -> [Order] {
        drive(0, mayStart: !isStopping)
        defer { orders = [] }
        return orders
    }

    /// The present life of a worker, or all lives in a group, are to end for the sake of a group.
    mutating func condemn(_ id: ID, by restartCause: ID) {
        if let worker = workers[id] {
            if worker.standing.isLife, worker.restartCause == nil { workers[id]?.restartCause = restartCause }
        } else if isAlive(id) {
            groups[id]?.isTerminating = true
            for child in groups[id]?.children ?? [] { condemn(child, by: restartCause) }
        }
    }

    /// - Parameter mayStart: Whether what is around the group lets it have new lives.
    private mutating func drive(_ id: ID, mayStart: Bool) {
        if groups[id]?.isTerminating == true, !isAlive(id) { groups[id]?.isTerminating = false }
        guard let group = groups[id] else { return }
        let isOrdered = group.rules.strategy != .oneForOne
        var mayStart = mayStart && group.fate == .running && !group.isTerminating
        // In reverse, and one after the other where there is an order.
        for child in group.children.reversed() where mustEnd(child) && isAlive(child) {
            end(child)
            guard isOrdered else { continue }
            // Nobody starts beside somebody who ends.
            mayStart = false
            break
        }
        for child in group.children {
            if workers[child] != nil {
                settle(child, mayStart: mayStart)
            } else if !(mustEnd(child) && isAlive(child)) {
                drive(child, mayStart: mayStart)
            }
            if isOrdered, !lets(child) { mayStart = false }
        }
        if let failure = group.failure { tell(id, failure) }
    }

    private mutating func end(_ child: ID) {
        guard let worker = workers[child] else { return drive(child, mayStart: false) }
        if isStopping {
            stop(child)
        } else if worker.standing == .starting || worker.standing == .serving {
            workers[child]?.standing = .ending
            orders.append(.end(child, by: worker.restartCause.flatMap { groups[$0]?.rules.name } ?? ""))
        }
    }

    private mutating func stop(_ worker: ID) {
        guard workers[worker]?.standing != .stopping else { return }
        workers[worker]?.standing = .stopping
        orders.append(.stop(worker))
    }

    /// A worker starts, or, if it has no life while all stop, need not wait for its turn.
    private mutating func settle(_ worker: ID, mayStart: Bool) {
        if isStopping {
            if workers[worker]?.standing.isLife == false { stop(worker) }
        } else if mayStart, workers[worker]?.standing == .ready {
            workers[worker]?.standing = .starting
            orders.append(.start(worker))
        }
    }

    /// All workers in a group that was given up hear of it once they have no life.
    private mutating func tell(_ id: ID, _ failure: HostFailure) {
        for child in groups[id]?.children ?? [] {
            switch workers[child]?.standing {
            case .waiting?, .ready?:
                workers[child]?.standing = .givenUp
                orders.append(.giveUp(child, failure))
            case nil: tell(child, failure)
            default: break
            }
        }
    }

    private func isAlive(_ id: ID) -> Bool {
        if let worker = workers[id] { return worker.standing.isLife }
        return groups[id]?.children.contains(where: isAlive) ?? false
    }

    private func mustEnd(_ id: ID) -> Bool {
        if isStopping { return true }
        if let worker = workers[id] { return worker.restartCause != nil }
        return groups[id].map { $0.isTerminating || $0.fate != .running } ?? false
    }

    /// Whether those behind it may start.
    private func lets(_ id: ID) -> Bool {
        if let worker = workers[id] { return worker.standing.lets }
        guard let group = groups[id] else { return true }
        switch group.fate {
        case .waiting: return false
        case .failed, .done: return !isAlive(id)
        case .running: return !group.isTerminating && (group.rules.isDynamic || group.children.allSatisfy(lets))
        }
    }
}

extension GroupState.Group {
    fileprivate var failure: HostFailure? {
        switch fate {
        case .failed(let failure), .done(let failure): failure
        case .running, .waiting: nil
        }
    }
}
