import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport
import Logging

/// Makes the supervisors of a coordinator's workers.
struct SupervisorFactory: Sendable {
    let reactor: Reactor
    let log: LogQueue
    /// The coordinator's, as its workers hear of it.
    let life: UInt64

    /// Places the workers of a group. Those of a group with one for each instance are made later.
    ///
    /// - Throws: ``CoordinatorError`` when there is no executable to start them from.
    func place(_ group: PlacedGroup) throws(CoordinatorError) -> Placement.Group {
        let executable = try WorkerExecutable(group.configuration.workerExecutable)
        let workers: Placement.Group.Workers =
            switch group.maximumWorkers {
            case nil: .one(make(group, executable))
            case let limit?:
                .onePerInstance(atMost: limit) { key in
                    var group = group
                    // Escaped: clients choose it.
                    group.configuration.logger[metadataKey: "instance"] = "\(key.instance.debugDescription)"
                    return make(group, executable)
                }
            }
        return Placement.Group(name: group.name, features: group.features.map { $0.identifier }, workers: workers)
    }

    private func make(_ group: PlacedGroup, _ executable: WorkerExecutable) -> WorkerSupervisor {
        let launcher = WorkerProcess(
            executable: executable,
            arguments: group.configuration.workerArguments,
            environment: group.configuration.workerEnvironment,
            group: group.name,
            teardownLimit: group.configuration.teardownLimit,
            reactor: reactor,
            logger: log.logger(group.configuration.logger, from: .worker)
        )
        return WorkerSupervisor(
            launcher: group.configuration.wrap(launcher, of: group.name),
            build: executable.isOwn ? .only(ProgramBuild.own) : .first,
            features: group.features,
            configuration: group.configuration,
            eventLoop: reactor,
            // The events that go to each have names of their own.
            memory: .random(),
            life: life,
            seed: .random(in: 0...(.max))
        )
    }
}
