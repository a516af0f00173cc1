import LatticeCoordinator
import LatticeCore

/// Measures how long it takes until many instances with one worker each are served, and the memory of each worker.
@MainActor struct ManyWorkersBench {
    private static let timeout: Duration = .seconds(60)

    func run(into report: BenchReport) async throws {
        let count = BenchScale.workers
        var configuration = CoordinatorConfiguration.bench
        configuration.openTimeout = Self.timeout
        configuration.restart.bootTimeout = Self.timeout
        var group = WorkerGroup("many", of: EchoFeature.self)
        group.workers = .onePerInstance(atMost: count)
        configuration.groups = [group]
        try await withCoordinator(hosting: EchoFeature.self, configuration: configuration) { coordinator in
            let start = SuspendingClock.now
            let viewModels = try await open(count, in: coordinator)
            let duration = start.duration(to: .now)
            for viewModel in viewModels { _ = try await ViewModelEchoDriver(viewModel).run(1, window: 1) }
            report.add(
                figure: "ms to open \(count) instances with a worker each",
                duration / .milliseconds(1),
                decimals: 1,
                key: "workers_open_ms"
            )
            let workers = try viewModels.map { try $0.workerProcess }
            let resident = try workers.map { Double(try $0.residentBytes()) }.median
            let own = try workers.map { Double(try $0.ownBytes()) }.median
            report.add(figure: "bytes of memory of each worker", resident, decimals: 0, key: "worker_resident_bytes")
            report.add(figure: "of these, bytes that are not shared", own, decimals: 0, key: "worker_own_bytes")
        }
    }

    /// Opens all instances at once.
    private func open(_ count: Int, in coordinator: Coordinator) async throws -> [ViewModel<EchoFeature>] {
        let opening = (0..<count).map { index in
            Task { try await coordinator.viewModel(EchoFeature.self, instance: "\(index)") }
        }
        return try await withTaskCancellationHandler {
            var viewModels: [ViewModel<EchoFeature>] = []
            for task in opening { viewModels.append(try await task.value) }
            return viewModels
        } onCancel: {
            for task in opening { task.cancel() }
        }
    }
}
