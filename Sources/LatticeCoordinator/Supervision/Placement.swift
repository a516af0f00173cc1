import LatticeConcurrency

/// The assignment of feature instances to workers.
///
/// Only this type knows how features are distributed over workers. Each supervisor keeps one worker, which serves
/// either all instances of a group's features or a single instance.
final class Placement: Sendable {
    /// Features that are placed in the same way.
    struct Group: Sendable {
        enum Workers: Sendable {
            /// One worker, which exists from the start.
            case one(WorkerSupervisor)
            /// A worker for each instance, created when the instance is first requested.
            case onePerInstance(atMost: Int, make: @Sendable (FeatureRegistry.Key) -> WorkerSupervisor)
        }

        /// The name of the group in error messages.
        var name = ""
        let features: [String]
        let workers: Workers
    }

    private struct Core {
        /// The supervisors of workers that serve a single instance.
        var ofInstances: [FeatureRegistry.Key: WorkerSupervisor] = [:]
        /// The supervisors whose instance was released, until nothing of their workers is left.
        var leaving: [Leaving] = []
        /// The supervisors that no task runs yet.
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
        /// Run the supervisor after these workers are gone.
        case run(WorkerSupervisor, after: [OneShot<Void>])
        case leave(WorkerSupervisor, within: Duration)
    }

    let groups: [Group]
    /// The supervisors of groups that coordinate when their workers start and end.
    private let trees: [GroupSupervisor]
    /// The index in `groups` for each feature identifier.
    private let groupIndexes: [String: Int]
    private let core = Locked(Core())
    /// For the task that runs the workers. Each worker gets one order to run and one to leave. The task that handles
    /// the order to run returns when the worker is gone.
    private let (orders, orderContinuation) = AsyncStream.makeStream(of: Order.self)

    /// - Parameter groups: The groups. A feature that is in several groups belongs to the first of them.
    init(_ groups: [Group], trees: [GroupSupervisor] = []) {
        self.groups = groups
        self.trees = trees
        groupIndexes = Dictionary(
            groups.enumerated().flatMap { index, group in group.features.map { ($0, index) } },
            uniquingKeysWith: { first, _ in first }
        )
        core.withLock { core in
            for supervisor in shared {
                core.waiting.append(supervisor)
                orderContinuation.yield(.run(supervisor, after: []))
            }
        }
    }

    /// Returns the supervisor of the worker that serves this instance, or nil if none exists or none exists yet.
    func supervisor(of key: FeatureRegistry.Key) -> WorkerSupervisor? {
        guard let place = groupIndexes[key.feature] else { return nil }
        switch groups[place].workers {
        case .one(let supervisor): return supervisor
        case .onePerInstance: return core.withLock { $0.ofInstances[key] }
        }
    }

    /// Returns the supervisor of the worker that serves this instance. If each instance has a worker of its own,
    /// creates one for this instance.
    ///
    /// - Returns: The supervisor, or nil if the feature is in no group.
    /// - Throws: ``CoordinatorError`` when the group has its maximum number of workers, or when the coordinator stops.
    func place(_ key: FeatureRegistry.Key) throws(CoordinatorError) -> WorkerSupervisor? {
        guard let place = groupIndexes[key.feature] else { return nil }
        let group = groups[place]
        guard case .onePerInstance(let limit, let make) = group.workers else { return supervisor(of: key) }
        return try core.withLock { core throws(CoordinatorError) in
            if let supervisor = core.ofInstances[key] { return supervisor }
            guard !core.isStopping else { throw .stopping }
            let count = core.ofInstances.keys.count { groupIndexes[$0.feature] == place }
            guard count < limit else { throw .tooManyWorkers(limit, in: group.name) }
            // The supervisor does nothing before it runs.
            let supervisor = make(key)
            core.ofInstances[key] = supervisor
            // An instance never has two workers, and the group never has more than `limit`.
            let leaving = core.leaving.filter { $0.group == place }
            let isFull = count + leaving.count >= limit
            let after = leaving.filter { isFull || $0.key == key }.map(\.gone)
            core.waiting.append(supervisor)
            // The lock ensures that a stop cannot finish the orders between these steps.
            orderContinuation.yield(.run(supervisor, after: after))
            return supervisor
        }
    }

    /// Returns the feature identifier that stands for the workers of a group without features. No real feature can have
    /// it, because identifiers contain no NUL character.
    static func featureIdentifier(ofWorkersIn group: String) -> String { "\u{0}" + group }

    /// Sets the number of workers of a group without features.
    ///
    /// - Returns: Whether such a group exists.
    func setWorkers(of group: String, to count: Int) throws(CoordinatorError) -> Bool {
        let place = Self.featureIdentifier(ofWorkersIn: group)
        guard groupIndexes[place] != nil else { return false }
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

    /// Releases an instance. A worker that serves only this instance leaves.
    ///
    /// - Parameter limit: The time that running work gets to end.
    func release(_ key: FeatureRegistry.Key, within limit: Duration = .zero) {
        core.withLock { core in
            guard let place = groupIndexes[key.feature], let supervisor = core.ofInstances.removeValue(forKey: key)
            else {
                return
            }
            core.leaving.append(Leaving(group: place, key: key, supervisor: supervisor))
            orderContinuation.yield(.leave(supervisor, within: limit))
        }
    }

    // MARK: Running

    /// Runs the workers, including those that are added later, until `stop` or until the calling task is cancelled.
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
            // After a cancellation some orders are lost. Their supervisors run once, which ends everything that waits
            // for them.
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

    /// Prevents the creation of further workers.
    ///
    /// - Returns: The supervisors that no task runs.
    @discardableResult
    private func stopPlacing() -> [WorkerSupervisor] {
        core.withLock { core in
            core.isStopping = true
            orderContinuation.finish()
            return core.waiting
        }
    }

    /// Lets all workers finish what is running and then leave, in the order that their groups define. No workers are
    /// created afterwards.
    ///
    /// - Parameter limit: The time that each worker gets to finish, or nil for the time of its configuration.
    func stop(within limit: Duration? = nil) async {
        stopPlacing()
        for tree in trees { tree.stop() }
        await forEach { await $0.stopInOrder(within: limit ?? $0.configuration.drainTimeout) }
    }

    /// Calls `body` with each supervisor concurrently, and returns when all calls have returned.
    func forEach(_ body: @escaping @Sendable (WorkerSupervisor) async -> Void) async {
        await Self.forEach(of: supervisors, body)
    }

    /// Calls `body` with each supervisor that serves a feature.
    func forEach(of feature: String, _ body: @escaping @Sendable (WorkerSupervisor) async -> Void) async {
        guard let place = groupIndexes[feature] else { return }
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

    /// The supervisors of workers that serve all instances of their group.
    private var shared: [WorkerSupervisor] {
        groups.compactMap { group in if case .one(let supervisor) = group.workers { supervisor } else { nil } }
    }

    /// The supervisors of all workers, also of those that leave.
    var supervisors: [WorkerSupervisor] {
        core.withLock { shared + $0.ofInstances.values + $0.leaving.map(\.supervisor) }
    }
}
