import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport
import Logging

/// Makes the supervisors of a coordinator's workers.
struct SupervisorFactory: Sendable {
    let reactor: Reactor
    let log: LogQueue
    let quarantine: Quarantine
    /// The coordinator's, as its workers hear of it.
    let life: UInt64
    /// Those that say when the workers of groups start and end.
    let trees: [GroupSupervisor]
    let node: ActorNode

    /// Places the workers of a group. Those of a group with one for each instance are made later.
    ///
    /// - Throws: ``CoordinatorError`` when there is no executable to start them from.
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
                        group.seat.map { GroupMembership(group: trees[$0.tree], worker: $0.id) }
                    )
                )
            case let limit?:
                .onePerInstance(atMost: limit) { key in
                    var group = group
                    // Clients choose it, and a terminal may show the log.
                    let name = key.instance.unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
                    // An instance is one of a feature; a worker of several that serve actors is a member of its group.
                    let kind = group.initialWorkers == nil ? "instance" : "member"
                    group.configuration.logger[metadataKey: kind] = "\(name)"
                    let membership = group.seat.map { trees[$0.tree].addWorker(to: $0.id) }
                    return make(group, executable, build, membership)
                }
            }
        var features = group.features.map { $0.identifier }
        if group.initialWorkers != nil { features = [Placement.place(ofWorkers: group.name)] }
        return Placement.Group(name: group.name, features: features, workers: workers)
    }

    private func make(
        _ group: PlacedGroup,
        _ executable: WorkerExecutable,
        _ build: SharedBuild,
        _ membership: GroupMembership?
    ) -> WorkerSupervisor {
        let launcher = WorkerProcess(
            executable: executable,
            arguments: group.configuration.workerArguments,
            environment: group.configuration.workerBacktraces.added(to: group.configuration.workerEnvironment),
            group: group.name,
            teardownTimeout: group.configuration.teardownTimeout,
            backtraceTimeout: group.configuration.backtraceTimeout,
            limits: group.configuration.limits,
            reactor: reactor,
            logger: log.logger(group.configuration.logger, from: .worker),
            ownLogger: group.configuration.logger
        )
        return WorkerSupervisor(
            launcher: group.configuration.wrap(launcher, of: group.name),
            build: build,
            features: group.features,
            configuration: group.configuration,
            eventLoop: reactor,
            // The events that go to each have names of their own.
            memory: .random(),
            quarantine: quarantine,
            membership: membership,
            life: life,
            node: node,
            seed: .random(in: 0...(.max))
        )
    }
}

/// Which build the workers of a group have to be.
final class SharedBuild: Sendable {
    private let build: Locked<ExpectedBuild>

    init(_ build: ExpectedBuild) {
        self.build = Locked(build)
    }

    var expected: ExpectedBuild { build.withLock(\.self) }

    /// A worker of this build was taken in.
    func welcome(_ build: [UInt8]?) {
        self.build.withLock { $0.welcome(build) }
    }
}
