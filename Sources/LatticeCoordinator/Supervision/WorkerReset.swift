import LatticeCore

/// The result of a reset for one worker. ``Coordinator/resetWorker()`` starts the workers again that were given up.
public struct WorkerReset: Sendable, Hashable, CustomStringConvertible {
    /// The name of the worker's group, or an empty string for the worker of the features that are in no group.
    public let group: String
    /// A Boolean value that indicates whether the worker had been given up and is started again.
    public let isBegun: Bool
    /// A description of what was done. If nothing was done, it says why, and what to do about a worker that hangs.
    public let description: String
}

extension WorkerReset {
    static func begun(_ supervisor: WorkerSupervisor) -> WorkerReset {
        WorkerReset(
            group: supervisor.configuration.group,
            isBegun: true,
            description: "the \(supervisor.title) had been given up and is started again"
        )
    }

    /// - Parameters:
    ///   - supervisor: The supervisor of the worker.
    ///   - phase: The worker's phase at the time of the reset.
    static func notNeeded(_ supervisor: WorkerSupervisor, _ phase: SupervisorState.Phase) -> WorkerReset {
        let reason =
            switch phase {
            case .serving(let worker, _, _):
                "it serves (process \(worker.processID)); if its calls hang, set limits.callTimeout, or end the process"
            case .idle, .booting: "it is being started"
            case .leaving: "it is ending, and is started again"
            case .backingOff(let restart): "it is started again in \(restart.delay) anyway"
            // A reset or a probe has just begun.
            case .givenUp: "it is being started"
            case .draining, .stopped: "the coordinator is stopping it"
            }
        return WorkerReset(
            group: supervisor.configuration.group,
            isBegun: false,
            description: "nothing was done for the \(supervisor.title), because it has not been given up: \(reason)"
        )
    }
}
