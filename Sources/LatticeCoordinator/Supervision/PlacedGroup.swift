import LatticeCore
import LatticeHosting
import LatticeSession

/// The placement of features: those that share a worker, or those whose instances have a worker each, with the settings
/// of these workers.
struct PlacedGroup: Sendable {
    /// The position in a supervision tree that coordinates when its members start and end.
    struct TreePosition: Sendable, Equatable {
        /// The index of the tree's state.
        let tree: Int
        /// The number of the worker, or of the group if its workers are added and removed while it runs.
        let id: GroupState.ID
    }

    let features: [any HostedFeature.Type]
    /// The configuration of the coordinator, with the group's own settings applied.
    var configuration: CoordinatorConfiguration
    /// The maximum number of workers if each serves one instance or they serve actors, or nil if one worker serves all
    /// instances.
    var maximumWorkers: Int?
    /// The initial number of workers of a group without features, or nil for other groups.
    var initialWorkers: Int?
    /// The position in a supervision tree, or nil if no group coordinates the worker.
    var treePosition: TreePosition?

    /// The name of the group, or an empty string for features that are in no group.
    var name: String { configuration.group }
}

/// The placement of all features.
struct PlacedGroups: Sendable {
    /// The groups, each with workers of its own.
    fileprivate(set) var groups: [PlacedGroup] = []
    /// The states of the supervision trees: groups that coordinate when their children start and end.
    fileprivate(set) var trees: [GroupState] = []
}

extension CoordinatorConfiguration {
    /// Places the hosted features in their groups. All features that are in no group are placed together.
    ///
    /// - Throws: ``CoordinatorError`` if the groups of the configuration are inconsistent.
    func place(_ hosted: [any HostedFeature.Type]) throws(CoordinatorError) -> PlacedGroups {
        var count = 0
        for group in groups { count += try group.count() }
        guard count <= WorkerGroup.maximumGroups else {
            throw .invalid("The configuration has \(count) worker groups. Choose at most \(WorkerGroup.maximumGroups).")
        }
        var placing = Placing(hosted: hosted, rest: hosted)
        for group in groups {
            var tree: GroupState?
            try place(group, in: group.isCoordinated ? 0 : nil, of: &tree, &placing)
            if let tree { placing.placed.trees.append(tree) }
        }
        // A coordinator without any feature has a worker too.
        if !placing.rest.isEmpty || placing.placed.groups.isEmpty {
            placing.placed.groups.insert(PlacedGroup(features: placing.rest, configuration: self), at: 0)
        }
        return placing.placed
    }

    /// The intermediate result of placing features.
    private struct Placing {
        let hosted: [any HostedFeature.Type]
        /// The features that are in no group so far.
        var rest: [any HostedFeature.Type]
        var names: Set<String> = []
        var placed = PlacedGroups()
    }

    /// Places a group and its nested groups.
    ///
    /// - Parameters:
    ///   - place: The number of the group in its tree, or nil if no tree is needed. The number 0 creates the tree.
    private func place(
        _ group: WorkerGroup,
        in place: GroupState.ID?,
        of tree: inout GroupState?,
        _ placing: inout Placing
    ) throws(CoordinatorError) {
        try check(group, besides: placing.names)
        placing.names.insert(group.name)
        var features: [any HostedFeature.Type] = []
        for identifier in group.features {
            guard let index = placing.rest.firstIndex(where: { $0.identifier == identifier }) else {
                let isHosted = placing.hosted.contains { $0.identifier == identifier }
                throw group.fault(
                    isHosted
                        ? "the feature \"\(identifier)\" is in this group twice or in another group too; name it once"
                        : "the feature \"\(identifier)\" is not hosted; host it, or remove it from the group"
                )
            }
            features.append(placing.rest.remove(at: index))
        }
        let configuration = configuration(of: group)
        if place == 0 { tree = GroupState(GroupRules(group, restart: configuration.restart)) }
        for var placed in group.divide(features, configuration) {
            if let place, let id = group.isDynamic ? place : tree?.addWorker(to: place) {
                placed.treePosition = PlacedGroup.TreePosition(tree: placing.placed.trees.count, id: id)
            }
            placing.placed.groups.append(placed)
        }
        for inner in group.groups {
            let rules = GroupRules(inner, restart: inner.restart ?? restart)
            let id = place.flatMap { tree?.addGroup(rules, to: $0) }
            try self.place(inner, in: id, of: &tree, &placing)
        }
    }

    private func check(_ group: WorkerGroup, besides names: Set<String>) throws(CoordinatorError) {
        guard 1...WorkerGroup.maximumName ~= group.name.utf8.count else {
            throw group.fault("its name has \(group.name.utf8.count) bytes; choose 1 to \(WorkerGroup.maximumName)")
        }
        guard !group.name.unicodeScalars.contains(where: { $0.value < 0x20 || 0x7f...0x9f ~= $0.value }) else {
            throw group.fault("its name has a control character; leave it out")
        }
        guard !names.contains(group.name) else {
            throw group.fault("another group has the same name; give each group its own name")
        }
        var limit: Int?
        switch group.workers {
        case .several(let count):
            guard group.features.isEmpty else {
                throw group.fault(
                    "it has features and several workers, and each worker would have its own states; choose"
                        + " onePerInstance, or a group without features"
                )
            }
            limit = count
        case .onePerInstance(let count): limit = count
        case .one, .onePerFeature: break
        }
        guard !group.features.isEmpty || !group.groups.isEmpty || limit != nil else {
            throw group.fault("it has no features; name at least one, or set its workers to several(_:) for actors")
        }
        if let limit {
            guard 1...WorkerGroup.maximumWorkers ~= limit else {
                throw group.fault("it may have \(limit) workers; choose 1 to \(WorkerGroup.maximumWorkers)")
            }
            guard group.strategy == .oneForOne, group.groups.isEmpty else {
                throw group.fault(
                    "its workers come and go, so its strategy must be \(WorkerGroup.Strategy.oneForOne) and it cannot"
                        + " contain groups; put it into a group that has another strategy"
                )
            }
        }
        try group.checkShutdown(by: restart)
        do throws(ConfigurationError) {
            try group.restart?.check()
            try group.limits?.check()
            try group.intensity?.check("intensity")
            if let limit = group.shutdownTimeout { try Settings.check("shutdownTimeout", limit, from: .zero) }
        } catch {
            throw group.fault(error.message)
        }
    }

    private func configuration(of group: WorkerGroup) -> CoordinatorConfiguration {
        var configuration = self
        configuration.workerExecutable = group.executable ?? workerExecutable
        configuration.workerArguments = group.arguments ?? workerArguments
        configuration.workerEnvironment.merge(group.environment) { $1 }
        configuration.restart = group.restart ?? restart
        configuration.limits = group.limits ?? limits
        configuration.standby = group.standby ?? standby
        configuration.drainTimeout = group.shutdownTimeout ?? drainTimeout
        configuration.group = group.name
        return configuration
    }
}

extension WorkerGroup {
    /// Returns the number of groups, including the nested ones.
    fileprivate func count(depth: Int = 1) throws(CoordinatorError) -> Int {
        guard depth <= Self.maximumDepth else {
            throw fault("it is nested in \(depth - 1) groups; nest it in fewer than \(Self.maximumDepth)")
        }
        var count = 1
        for group in groups { count += try group.count(depth: depth + 1) }
        return count
    }

    fileprivate var isDynamic: Bool {
        switch workers {
        case .onePerInstance, .several: true
        case .one, .onePerFeature: false
        }
    }

    /// Checks whether the group can ever shut down, if it should. Nested groups are checked on their own.
    func checkShutdown(by policy: RestartPolicy) throws(CoordinatorError) {
        guard autoShutdown == .never || mayBeDone(by: policy) else {
            throw fault(
                "autoShutdown is \(autoShutdown), but none of its children can ever be done; choose another"
                    + " restart.kind, or set autoShutdown to never"
            )
        }
    }

    /// Returns whether a child of the group can be done.
    fileprivate func mayBeDone(by policy: RestartPolicy) -> Bool {
        (!features.isEmpty || isDynamic) && (restart ?? policy).kind != .permanent
            || groups.contains { $0.autoShutdown != .never }
    }

    fileprivate func divide(
        _ features: [any HostedFeature.Type],
        _ configuration: CoordinatorConfiguration
    ) -> [PlacedGroup] {
        switch workers {
        case .several(let count):
            [
                PlacedGroup(
                    features: [],
                    configuration: configuration,
                    maximumWorkers: Self.maximumWorkers,
                    initialWorkers: count
                )
            ]
        // A group without features has nested groups only.
        case _ where features.isEmpty: []
        case .one: [PlacedGroup(features: features, configuration: configuration)]
        case .onePerFeature: features.map { PlacedGroup(features: [$0], configuration: configuration) }
        case .onePerInstance(let limit):
            [PlacedGroup(features: features, configuration: configuration, maximumWorkers: limit)]
        }
    }

    fileprivate func fault(_ problem: String) -> CoordinatorError {
        .invalid("The worker group \"\(name)\" is invalid: \(problem)")
    }
}

extension GroupRules {
    fileprivate init(_ group: WorkerGroup, restart: RestartPolicy) {
        self.init(
            name: group.name,
            strategy: group.strategy,
            autoShutdown: group.autoShutdown,
            intensity: group.intensity,
            restart: restart,
            isDynamic: group.isDynamic
        )
    }
}
