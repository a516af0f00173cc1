import LatticeConcurrency
import LatticeCoordinator
import LatticeCore
import LatticeProcess
import LatticeSession
import LatticeTransport

/// A launcher that adds faults to another launcher. It starts other programs in place of workers, and adds faults to
/// their connections. The first start is start 0 of the plan and has connection 0.
struct FaultyLauncher: WorkerLauncher {
    let launcher: any WorkerLauncher
    let plan: FaultPlan
    let record: FaultRecord

    func run(
        _ launch: LaunchVariable,
        configureProgram: (@Sendable (inout Program) -> Void)?,
        stop: OneShot<Void>,
        onStart: @escaping @Sendable (StartedWorker) -> Void
    ) async throws(TransportError) -> Interruption.Cause {
        let number = Int(clamping: launch.incarnation) - 1
        var faults = plan.faults.compactMap { fault -> LaunchFault? in
            if case .launch(let fault) = fault, fault.start == number { fault } else { nil }
        }
        // The first fault that starts no worker makes the later ones, which are inside of it, impossible.
        if let last = faults.firstIndex(where: { !$0.kind.startsWorker }) { faults.removeSubrange((last + 1)...) }
        let all: @Sendable (inout Program) -> Void = { [faults] program in
            configureProgram?(&program)
            // The first fault is the outermost one.
            for fault in faults.reversed() { fault.apply(to: &program) }
        }
        return try await launcher.run(launch, configureProgram: all, stop: stop) { [faults] worker in
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
