import LatticeConcurrency

/// Which worker serves which instance of which feature.
///
/// Those who host features ask here, and nobody else knows how features are spread over workers. Each supervisor keeps
/// one worker: for all instances of a group's features, or for one instance alone.
final class Placement: Sendable {
    /// Features that are placed alike.
    struct Group: Sendable {
        enum Workers: Sendable {
            /// There from the start.
            case one(WorkerSupervisor)
            /// Each made when its instance is first asked for.
            case onePerInstance(atMost: Int, make: @Sendable (FeatureRegistry.Key) -> WorkerSupervisor)
        }

        /// What errors call it.
        var name = ""
        let features: [String]
        let workers: Workers
    }

    private struct Core {
        /// Those that one instance has for itself.
        var ofInstances: [FeatureRegistry.Key: WorkerSupervisor] = [:]
        /// Those whose instance was let go of, until nothing is left of their workers.
        var leaving: [(group: Int, supervisor: WorkerSupervisor)] = []
        var isStopping = false
    }

    private enum Order {
        case run(WorkerSupervisor)
        case leave(WorkerSupervisor)
    }

    private let groups: [Group]
    /// The group of each feature, as an index of `groups`.
    private let places: [String: Int]
    private let core = Locked(Core())
    /// For the task that runs them. At most one to run and one to leave for each worker that there may be.
    private let (orders, orderer) = AsyncStream.makeStream(of: Order.self)

    /// - Parameter groups: A feature that is in several groups belongs to the first of them.
    init(_ groups: [Group]) {
        self.groups = groups
        places = Dictionary(
            groups.enumerated().flatMap { index, group in group.features.map { ($0, index) } },
            uniquingKeysWith: { first, _ in first }
        )
        for case .one(let supervisor) in groups.map(\.workers) { orderer.yield(.run(supervisor)) }
    }

    /// Who keeps the worker that serves this instance; nil: nobody, or nobody yet.
    func supervisor(of key: FeatureRegistry.Key) -> WorkerSupervisor? {
        guard let place = places[key.feature] else { return nil }
        switch groups[place].workers {
        case .one(let supervisor): return supervisor
        case .onePerInstance: return core.withLock { $0.ofInstances[key] }
        }
    }

    /// The same, and where each instance has a worker of its own, this one gets it.
    ///
    /// - Returns: nil: the feature has no place.
    /// - Throws: ``CoordinatorError`` when there are as many workers as there may be, or the coordinator stops.
    func place(_ key: FeatureRegistry.Key) throws(CoordinatorError) -> WorkerSupervisor? {
        guard let place = places[key.feature] else { return nil }
        let group = groups[place]
        guard case .onePerInstance(let limit, let make) = group.workers else { return supervisor(of: key) }
        let (supervisor, isNew) = try core.withLock { core throws(CoordinatorError) in
            if let supervisor = core.ofInstances[key] { return (supervisor, false) }
            guard !core.isStopping else { throw .stopping }
            let count = core.ofInstances.keys.count { places[$0.feature] == place }
            guard count + core.leaving.count(where: { $0.group == place }) < limit else {
                throw .tooManyWorkers(limit, in: group.name)
            }
            // It does nothing before it runs.
            let supervisor = make(key)
            core.ofInstances[key] = supervisor
            return (supervisor, true)
        }
        if isNew { orderer.yield(.run(supervisor)) }
        return supervisor
    }

    /// An instance is let go of: a worker that it has for itself leaves, and its place is free once nothing is left.
    func release(_ key: FeatureRegistry.Key) {
        let released = core.withLock { core -> WorkerSupervisor? in
            guard let place = places[key.feature], let supervisor = core.ofInstances.removeValue(forKey: key) else {
                return nil
            }
            core.leaving.append((place, supervisor))
            return supervisor
        }
        if let released { orderer.yield(.leave(released)) }
    }

    // MARK: Running

    /// Keeps the workers running, also those that come later, until `stop` or until the calling task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await order in orders {
                group.addTask { [self] in
                    switch order {
                    case .run(let supervisor):
                        await supervisor.run()
                        core.withLock { $0.leaving.removeAll { $0.supervisor === supervisor } }
                    case .leave(let supervisor): await supervisor.stop(within: .zero)
                    }
                }
            }
        }
    }

    /// Has all workers finish what is running, within the limit, and leave. From then on there are no new ones.
    func stop(within limit: Duration) async {
        core.withLock { $0.isStopping = true }
        orderer.finish()
        await forEach { await $0.stop(within: limit) }
    }

    /// Calls `body` with each supervisor, side by side, and returns when all calls have.
    func forEach(_ body: @escaping @Sendable (WorkerSupervisor) async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            for supervisor in supervisors { group.addTask { await body(supervisor) } }
        }
    }

    private var supervisors: [WorkerSupervisor] {
        let shared = groups.compactMap { group in
            if case .one(let supervisor) = group.workers { supervisor } else { nil }
        }
        return core.withLock { shared + $0.ofInstances.values + $0.leaving.map(\.supervisor) }
    }
}
