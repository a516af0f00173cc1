import LatticeCoordinator
import LatticeCore

/// Many instances with a worker each: how long it takes until all serve, and what each takes of memory.
@MainActor struct ManyWorkersBench {
    private static let limit: Duration = .seconds(60)

    func run(into report: BenchReport) async throws {
        let count = BenchScale.workers
        var configuration = CoordinatorConfiguration.bench
        configuration.openTimeout = Self.limit
        configuration.restart.bootTimeout = Self.limit
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
            report.add(figure: "bytes of each in memory", resident, decimals: 0, key: "worker_resident_bytes")
            report.add(figure: "of these, bytes that it shares with none", own, decimals: 0, key: "worker_own_bytes")
        }
    }

    /// All at once.
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
