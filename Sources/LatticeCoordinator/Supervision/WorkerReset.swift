import LatticeCore

/// What a reset has done for one worker: ``Coordinator/resetWorker()`` starts those again that were given up.
public struct WorkerReset: Sendable, Hashable, CustomStringConvertible {
    /// The name of the worker's group; empty for the worker of the features that are in no group.
    public let group: String
    /// A Boolean value that indicates whether the worker had been given up, and is started again.
    public let isBegun: Bool
    /// What was done. If that is nothing, it says why, and what to do about a worker that hangs.
    public let description: String
}

extension WorkerReset {
    static func begun(_ supervisor: WorkerSupervisor) -> WorkerReset {
        WorkerReset(
            group: supervisor.configuration.group,
            isBegun: true,
            description: "the \(supervisor.title) had been given up, and is started again"
        )
    }

    /// - Parameter phase: In which the reset found it.
    static func notNeeded(_ supervisor: WorkerSupervisor, _ phase: SupervisorState.Phase) -> WorkerReset {
        let reason =
            switch phase {
            case .serving(let life, _, _):
                "it serves (process \(life.processID)); to end one whose calls hang, set limits.call, or end that process"
            case .idle, .booting: "it is being started"
            case .leaving: "its group starts it again"
            case .backingOff(let restart): "it is started again in \(restart.delay) anyway"
            // A reset begins, or something else was done meanwhile.
            case .givenUp: "it is being started"
            case .draining, .stopped: "the coordinator has stopped it"
            }
        return WorkerReset(
            group: supervisor.configuration.group,
            isBegun: false,
            description: "nothing was done for the \(supervisor.title), as it has not been given up: \(reason)"
        )
    }
}
