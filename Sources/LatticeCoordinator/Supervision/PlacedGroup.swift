import LatticeCore
import LatticeHosting
import LatticeSession
import Logging

/// Features that share a worker, or whose instances have one each, and how that is started and watched.
struct PlacedGroup: Sendable {
    /// Where it is in a group that says when its children start and end.
    struct Seat: Sendable, Equatable {
        /// Which of the states.
        let tree: Int
        /// The worker there, or the group if its workers come and go.
        let id: GroupState.ID
    }

    let features: [any HostedFeature.Type]
    /// The coordinator's, with what the group has of its own.
    var configuration: CoordinatorConfiguration
    /// How many workers there may be, each of one instance; nil: there is one for all.
    var maximumWorkers: Int?
    /// How many workers there are at first, of a group without features; nil: of another one.
    var initialWorkers: Int?
    /// nil: its worker starts and ends by itself.
    var seat: Seat?

    /// Empty for those that are in no group.
    var name: String { configuration.group }
}

/// Where features run.
struct PlacedGroups: Sendable {
    /// Each with workers of its own.
    fileprivate(set) var groups: [PlacedGroup] = []
    /// Of groups that say when their children start and end.
    fileprivate(set) var trees: [GroupState] = []
}

extension CoordinatorConfiguration {
    /// Where features run: in their groups, and those that are in none together.
    ///
    /// - Throws: ``CoordinatorError`` for groups that make no sense.
    func place(_ hosted: [any HostedFeature.Type]) throws(CoordinatorError) -> PlacedGroups {
        var count = 0
        for group in groups { count += try group.count() }
        guard count <= WorkerGroup.maximumGroups else {
            throw .invalid("there are \(count) worker groups; choose at most \(WorkerGroup.maximumGroups)")
        }
        var placing = Placing(hosted: hosted, rest: hosted)
        for group in groups {
            var tree: GroupState?
            try place(group, in: group.isCoordinated ? 0 : nil, of: &tree, &placing)
            if let tree { placing.placed.trees.append(tree) }
        }
        // Also with no features at all: a coordinator has a worker.
        if !placing.rest.isEmpty || placing.placed.groups.isEmpty {
            placing.placed.groups.insert(PlacedGroup(features: placing.rest, configuration: self), at: 0)
        }
        return placing.placed
    }

    /// What was placed so far.
    private struct Placing {
        let hosted: [any HostedFeature.Type]
        /// Features that are in no group so far.
        var rest: [any HostedFeature.Type]
        var names: Set<String> = []
        var placed = PlacedGroups()
    }

    /// - Parameters:
    ///   - place: The group's in its state, which begins with it if that is 0; nil: it needs none.
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
                        ? "\"\(identifier)\" is in it twice, or in another group too; name it once"
                        : "\"\(identifier)\" is not hosted; host it, or leave it out"
                )
            }
            features.append(placing.rest.remove(at: index))
        }
        let configuration = configuration(of: group)
        if place == 0 { tree = GroupState(GroupRules(group, restart: configuration.restart)) }
        for var placed in group.divide(features, configuration) {
            if let place, let id = group.isDynamic ? place : tree?.addWorker(to: place) {
                placed.seat = PlacedGroup.Seat(tree: placing.placed.trees.count, id: id)
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
        guard !names.contains(group.name) else { throw group.fault("another one has its name; choose two") }
        var limit: Int?
        switch group.workers {
        case .several(let count):
            guard group.features.isEmpty else {
                throw group.fault(
                    "it has features and several workers, of which each would have states of its own; choose"
                        + " onePerInstance, or a group without features"
                )
            }
            limit = count
        case .onePerInstance(let count): limit = count
        case .one, .onePerFeature: break
        }
        guard !group.features.isEmpty || !group.groups.isEmpty || limit != nil else {
            throw group.fault("it has no features; name one at least, or say how many workers serve actors")
        }
        if let limit {
            guard 1...WorkerGroup.maximumWorkers ~= limit else {
                throw group.fault("it may have \(limit) workers; choose 1 to \(WorkerGroup.maximumWorkers)")
            }
            guard group.strategy == .oneForOne, group.groups.isEmpty else {
                throw group.fault(
                    "its workers come and go, so it is \(WorkerGroup.Strategy.oneForOne) and has no groups in it;"
                        + " put it into a group that has another one"
                )
            }
        }
        guard group.autoShutdown == .never || group.mayBeDone(by: restart) else {
            throw group.fault(
                "autoShutdown is \(group.autoShutdown), and nothing in it is ever done; choose another kind of restart,"
                    + " or never"
            )
        }
        do throws(ConfigurationError) {
            try group.restart?.check()
            try group.limits?.check()
            try group.intensity?.check()
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
        configuration.logger[metadataKey: "group"] = "\(group.name)"
        configuration.group = group.name
        return configuration
    }
}

extension WorkerGroup {
    /// How many groups these are, with those in it.
    fileprivate func count(depth: Int = 1) throws(CoordinatorError) -> Int {
        guard depth <= Self.maximumDepth else {
            throw fault("it is in \(depth - 1) others; choose less than \(Self.maximumDepth)")
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

    /// Whether one of its children may be done.
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
        // What has no features has groups.
        case _ where features.isEmpty: []
        case .one: [PlacedGroup(features: features, configuration: configuration)]
        case .onePerFeature: features.map { PlacedGroup(features: [$0], configuration: configuration) }
        case .onePerInstance(let limit):
            [PlacedGroup(features: features, configuration: configuration, maximumWorkers: limit)]
        }
    }

    fileprivate func fault(_ problem: String) -> CoordinatorError {
        .invalid("the worker group \"\(name)\": \(problem)")
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
