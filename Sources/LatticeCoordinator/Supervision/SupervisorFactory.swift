import LatticeCalls
import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeProcess
import LatticeSession
import LatticeTransport
import Logging

/// Creates the supervisors of a coordinator's workers.
struct SupervisorFactory: Sendable {
    let reactor: Reactor
    let quarantine: Quarantine
    /// The ID of the coordinator process, which the workers receive.
    let coordinatorID: UInt64
    /// The supervisors of groups that coordinate when their workers start and end.
    let trees: [GroupSupervisor]
    let node: ActorNode
    let servingWorkers: ServingWorkers
    /// The settings of the coordinator, which may have changed when a worker is made.
    let settings: LiveConfiguration

    /// Creates the placement of a group. If each instance has a worker of its own, the workers are created later.
    ///
    /// - Throws: ``CoordinatorError`` when the executable to start workers from cannot be used.
    func place(_ group: PlacedGroup) throws(CoordinatorError) -> Placement.Group {
        let executable = try WorkerExecutable(group.configuration.workerExecutable)
        let build = SharedBuild(executable.isOwn ? .only(ProgramBuild.own) : .first)
        let workers: Placement.Group.Workers =
            switch group.maximumWorkers {
            case nil:
                .one(
                    make(
                        group,
                        executable,
                        build,
                        group.treePosition.map { GroupMembership(group: trees[$0.tree], worker: $0.id) }
                    )
                )
            case let limit?:
                .onePerInstance(atMost: limit) { key in
                    var group = group
                    // A worker of a feature serves an instance. A worker for actors is one of several members of its
                    // group.
                    let isMember = group.initialWorkers != nil
                    group.configuration.member = RuntimeEvent.Member(
                        group: group.name,
                        instance: isMember ? nil : key.instance,
                        name: isMember ? key.instance : nil
                    )
                    let membership = group.treePosition.map { trees[$0.tree].addWorker(to: $0.id) }
                    return make(group, executable, build, membership)
                }
            }
        var features = group.features.map { $0.identifier }
        if group.initialWorkers != nil { features = [Placement.featureIdentifier(ofWorkersIn: group.name)] }
        return Placement.Group(name: group.name, features: features, workers: workers)
    }

    private func make(
        _ group: PlacedGroup,
        _ executable: WorkerExecutable,
        _ build: SharedBuild,
        _ membership: GroupMembership?
    ) -> WorkerSupervisor {
        // The launcher is made before the supervisor that owns the settings.
        let settings = LiveConfiguration(group.configuration)
        settings.update(from: self.settings.value.scope(ofGroup: group.name))
        let launcher = WorkerProcess(
            executable: executable,
            arguments: group.configuration.workerArguments,
            environment: group.configuration.workerBacktraces.added(to: group.configuration.workerEnvironment),
            group: group.name,
            teardownTimeout: group.configuration.teardownTimeout,
            backtraceTimeout: group.configuration.backtraceTimeout,
            limits: { settings.value.limits },
            reactor: reactor,
            logLevel: { [logger = group.configuration.logger] in logger.logLevel.rawValue },
            member: group.configuration.member,
            events: group.configuration.events
        )
        return WorkerSupervisor(
            launcher: group.configuration.wrap(launcher, of: group.name),
            build: build,
            features: group.features,
            configuration: group.configuration,
            settings: settings,
            eventLoop: reactor,
            // Each worker has its own sender, so the events of different workers have different identities.
            sender: .random(),
            quarantine: quarantine,
            membership: membership,
            coordinatorID: coordinatorID,
            node: node,
            servingWorkers: servingWorkers,
            seed: .random(in: 0...(.max))
        )
    }
}

/// The build that all workers of a group must have.
final class SharedBuild: Sendable {
    private let build: Locked<ExpectedBuild>

    init(_ build: ExpectedBuild) {
        self.build = Locked(build)
    }

    var expected: ExpectedBuild { build.withLock(\.self) }

    /// Records that a worker of this build completed its handshake.
    func welcome(_ build: [UInt8]?) {
        self.build.withLock { $0.welcome(build) }
    }
}
