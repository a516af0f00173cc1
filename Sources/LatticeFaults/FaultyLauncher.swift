import LatticeConcurrency
import LatticeCoordinator
import LatticeCore
import LatticeSession
import LatticeTransport

/// Starts workers as another launcher does, has other programs started in their place, and has things go wrong between
/// them and the coordinator. The first start is start 0 of the plan, and has connection 0.
struct FaultyLauncher: WorkerLauncher {
    let launcher: any WorkerLauncher
    let plan: FaultPlan
    let record: FaultRecord

    func run(
        _ launch: LaunchVariable,
        disguise: (@Sendable (inout Program) -> Void)?,
        stop: OneShot<Void>,
        onStart: @escaping @Sendable (StartedWorker) -> Void
    ) async throws(TransportError) -> Interruption.Cause {
        let number = Int(clamping: launch.incarnation) - 1
        var faults = plan.faults.compactMap { fault -> LaunchFault? in
            if case .launch(let fault) = fault, fault.start == number { fault } else { nil }
        }
        // What is inside of one that starts nothing does not happen.
        if let last = faults.firstIndex(where: { !$0.kind.startsWorker }) { faults.removeSubrange((last + 1)...) }
        let all: @Sendable (inout Program) -> Void = { [faults] program in
            disguise?(&program)
            // The first is the outermost.
            for fault in faults.reversed() { fault.apply(to: &program) }
        }
        return try await launcher.run(launch, disguise: all, stop: stop) { [faults] worker in
            record.note(faults.map(Fault.launch))
            var worker = worker
            worker.connection = FaultyConnection(
                worker.connection,
                plan,
                number: number,
                record: record,
                process: FaultyProcess(signal: worker.signal)
            )
            onStart(worker)
        }
    }
}
