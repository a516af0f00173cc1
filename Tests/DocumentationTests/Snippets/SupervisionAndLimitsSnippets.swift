import Lattice
import LatticeCoordinator

/// The blocks of SupervisionAndLimits.md, which are only compiled here: they start processes.
@MainActor struct SupervisionAndLimitsSnippets {
    func policy() -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.restart.intensity = RestartIntensity(restarts: 3, period: .seconds(60))
        configuration.heartbeatTimeout = .seconds(5)
        return configuration
    }

    func watch(_ uploads: ViewModel<Upload>, _ coordinator: Coordinator) async {
        switch uploads.hostStatus {
        case .serving(let serving): print("incarnation \(serving.incarnation)")
        case .unresponsive(let worker): print("does not answer: \(worker.reason)")
        case .restarting(let restart): print("again in \(restart.delay): \(restart.cause)")
        case .failed(let failure):
            print("failed: \(failure.reason)")
            await coordinator.resetWorker()
        case .local, .connecting, .draining, .other: break
        }
    }

    func limited() -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.limits.memoryBytes = 1 << 30
        var uploads = WorkerGroup("uploads", of: Upload.self)
        uploads.limits = WorkerLimits(memoryBytes: 256 << 20, openFiles: 128, cpuTime: .seconds(3600))
        configuration.groups = [uploads]
        return configuration
    }

    func retry(in coordinator: Coordinator) async {
        for event in coordinator.quarantine.events {
            print(event.event.feature, event.incarnations, event.cause)
            await coordinator.quarantine.retry(event)?.finish()
        }
    }
}
