import LatticeConcurrency
import LatticeCoordinator
import LatticeCore
import LatticeSession
import LatticeTransport

/// Starts workers as another launcher does, and has things go wrong between them and the coordinator. The first start
/// is connection 0 of the plan.
struct FaultyLauncher: WorkerLauncher {
    let launcher: any WorkerLauncher
    let plan: FaultPlan
    let record: FaultRecord

    func run(
        _ launch: LaunchVariable,
        stop: OneShot<Void>,
        onStart: @escaping @Sendable (StartedWorker) -> Void
    ) async throws(TransportError) -> Interruption.Cause {
        let number = Int(clamping: launch.incarnation) - 1
        return try await launcher.run(launch, stop: stop) { worker in
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
