import LatticeCore

/// What the supervisor says about its worker.
extension WorkerSupervisor {
    /// The worker in the supervision tree.
    var member: RuntimeEvent.Member { configuration.member }

    /// The name of the worker in messages.
    var title: String { configuration.group.isEmpty ? "worker" : "worker \"\(configuration.group)\"" }

    /// Returns an incarnation of the worker.
    func worker(_ incarnation: UInt64, _ processID: Int32?) -> RuntimeEvent.Worker {
        RuntimeEvent.Worker(member: member, incarnation: incarnation, processID: processID)
    }

    /// Returns the incarnation that serves.
    func worker(_ serving: HostStatus.Serving) -> RuntimeEvent.Worker {
        worker(serving.incarnation, serving.processID)
    }

    func report(of current: IncarnationState, _ incarnation: UInt64) -> CrashReport? {
        current.worker.map { worker in
            CrashReport(
                group: configuration.group,
                incarnation: incarnation,
                processID: worker.processID,
                lifetime: current.start.duration(to: .now),
                output: worker.output.lines
            )
        }
    }

    /// Reports the end of an incarnation.
    func emitTermination(
        _ death: Interruption,
        of processID: Int32?,
        _ report: CrashReport?,
        _ next: SupervisorState.Next
    ) {
        events.emit(
            .workerTerminated,
            .workerTerminated(
                RuntimeEvent.Termination(
                    worker: worker(death.incarnation, processID),
                    cause: death.cause,
                    verdict: RuntimeEvent.Termination.Verdict(next),
                    report: report
                )
            )
        )
    }
}

extension RuntimeEvent.Termination.Verdict {
    fileprivate init(_ next: SupervisorState.Next) {
        switch next {
        case .restart(let restart): self = .restart(restart)
        case .giveUp(let failure, _, _, _): self = .giveUp(failure)
        case .stop: self = .stop
        }
    }
}
