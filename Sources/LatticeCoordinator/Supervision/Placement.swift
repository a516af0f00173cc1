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
        var leaving: [Leaving] = []
        /// Those that nobody runs yet.
        var waiting: [WorkerSupervisor] = []
        var isStopping = false
    }

    private struct Leaving {
        let group: Int
        let key: FeatureRegistry.Key
        let supervisor: WorkerSupervisor
        let gone = OneShot<Void>()
    }

    private enum Order {
        /// When these are gone.
        case run(WorkerSupervisor, after: [OneShot<Void>])
        case leave(WorkerSupervisor, within: Duration)
    }

    private let groups: [Group]
    /// Those that say when workers of groups start and end.
    private let trees: [GroupSupervisor]
    /// The group of each feature, as an index of `groups`.
    private let places: [String: Int]
    private let core = Locked(Core())
    /// For the task that runs them: one to run and one to leave for each worker that there is, until it is gone.
    private let (orders, orderer) = AsyncStream.makeStream(of: Order.self)

    /// - Parameter groups: A feature that is in several groups belongs to the first of them.
    init(_ groups: [Group], trees: [GroupSupervisor] = []) {
        self.groups = groups
        self.trees = trees
        places = Dictionary(
            groups.enumerated().flatMap { index, group in group.features.map { ($0, index) } },
            uniquingKeysWith: { first, _ in first }
        )
        core.withLock { core in
            for supervisor in shared {
                core.waiting.append(supervisor)
                orderer.yield(.run(supervisor, after: []))
            }
        }
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
        return try core.withLock { core throws(CoordinatorError) in
            if let supervisor = core.ofInstances[key] { return supervisor }
            guard !core.isStopping else { throw .stopping }
            let count = core.ofInstances.keys.count { places[$0.feature] == place }
            guard count < limit else { throw .tooManyWorkers(limit, in: group.name) }
            // It does nothing before it runs.
            let supervisor = make(key)
            core.ofInstances[key] = supervisor
            // Never two workers of one instance, nor more than there may be.
            let leaving = core.leaving.filter { $0.group == place }
            let isFull = count + leaving.count >= limit
            let after = leaving.filter { isFull || $0.key == key }.map(\.gone)
            core.waiting.append(supervisor)
            // Under the lock: behind it may come a stop.
            orderer.yield(.run(supervisor, after: after))
            return supervisor
        }
    }

    /// In whose place the workers of a group without features are: no feature has such an identifier, as a name has no
    /// such character.
    static func place(ofWorkers group: String) -> String { "\u{0}" + group }

    /// So many workers from now on, of a group without features.
    ///
    /// - Returns: Whether there is such a group.
    func setWorkers(of group: String, to count: Int) throws(CoordinatorError) -> Bool {
        let place = Self.place(ofWorkers: group)
        guard places[place] != nil else { return false }
        let present = core.withLock { core in core.ofInstances.keys.count { $0.feature == place } }
        for number in 1...max(count, present, 1) {
            let key = FeatureRegistry.Key(feature: place, instance: "\(number)")
            if number > count {
                release(key, within: supervisor(of: key)?.configuration.drainTimeout ?? .zero)
            } else {
                _ = try self.place(key)
            }
        }
        return true
    }

    /// An instance is let go of: a worker that it has for itself leaves.
    ///
    /// - Parameter limit: How long what runs there may take to end.
    func release(_ key: FeatureRegistry.Key, within limit: Duration = .zero) {
        core.withLock { core in
            guard let place = places[key.feature], let supervisor = core.ofInstances.removeValue(forKey: key) else {
                return
            }
            core.leaving.append(Leaving(group: place, key: key, supervisor: supervisor))
            orderer.yield(.leave(supervisor, within: limit))
        }
    }

    // MARK: Running

    /// Keeps the workers running, also those that come later, until `stop` or until the calling task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            for tree in trees { group.addTask { await tree.run() } }
            for await order in orders {
                group.addTask { [self] in
                    switch order {
                    case .run(let supervisor, let after):
                        for gone in after { await gone.wait() }
                        await run(supervisor)
                    case .leave(let supervisor, let limit): await supervisor.stop(within: limit)
                    }
                }
            }
            // Cancelled: those whose orders are lost end what waits for them.
            for supervisor in stopPlacing() { group.addTask { [self] in await run(supervisor) } }
        }
    }

    private func run(_ supervisor: WorkerSupervisor) async {
        let isFirst = core.withLock { core -> Bool in
            guard let index = core.waiting.firstIndex(where: { $0 === supervisor }) else { return false }
            core.waiting.remove(at: index)
            return true
        }
        guard isFirst else { return }
        await supervisor.run()
        let gone = core.withLock { core -> OneShot<Void>? in
            guard let index = core.leaving.firstIndex(where: { $0.supervisor === supervisor }) else { return nil }
            return core.leaving.remove(at: index).gone
        }
        gone?.complete()
    }

    /// - Returns: Those that nobody runs.
    @discardableResult
    private func stopPlacing() -> [WorkerSupervisor] {
        core.withLock { core in
            core.isStopping = true
            orderer.finish()
            return core.waiting
        }
    }

    /// Has all workers finish what is running, and leave, in the order that their groups say. From then on there are no
    /// new ones.
    ///
    /// - Parameter limit: How long each has to finish; nil: as its configuration says.
    func stop(within limit: Duration? = nil) async {
        stopPlacing()
        for tree in trees { tree.stop() }
        await forEach { await $0.stopInTurn(within: limit ?? $0.configuration.drainTimeout) }
    }

    /// Calls `body` with each supervisor, side by side, and returns when all calls have.
    func forEach(_ body: @escaping @Sendable (WorkerSupervisor) async -> Void) async {
        await Self.forEach(of: supervisors, body)
    }

    /// The same with those that serve a feature.
    func forEach(of feature: String, _ body: @escaping @Sendable (WorkerSupervisor) async -> Void) async {
        guard let place = places[feature] else { return }
        switch groups[place].workers {
        case .one(let supervisor): await body(supervisor)
        case .onePerInstance:
            let own = core.withLock { core in core.ofInstances.filter { $0.key.feature == feature }.map(\.value) }
            await Self.forEach(of: own, body)
        }
    }

    private static func forEach(
        of supervisors: [WorkerSupervisor],
        _ body: @escaping @Sendable (WorkerSupervisor) async -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            for supervisor in supervisors { group.addTask { await body(supervisor) } }
        }
    }

    /// Those of groups.
    private var shared: [WorkerSupervisor] {
        groups.compactMap { group in if case .one(let supervisor) = group.workers { supervisor } else { nil } }
    }

    private var supervisors: [WorkerSupervisor] {
        core.withLock { shared + $0.ofInstances.values + $0.leaving.map(\.supervisor) }
    }
}
