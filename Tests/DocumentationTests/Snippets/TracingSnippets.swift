import LatticeCoordinator
import LatticeTracing
import LatticeWorker

/// The blocks of LatticeTracing.md and of comments of that module.
@MainActor struct TracingSnippets {
    func serve(_ coordinator: Coordinator) async throws {}

    func smallest() async throws {
        let tracing = RuntimeTracing()
        var configuration = CoordinatorConfiguration()
        configuration.observers.append(tracing.observer)
        try await withCoordinator(hosting: Counter.self, configuration: configuration) { coordinator in
            try await serve(coordinator)
        }
    }

    func worker(_ worker: Worker) async throws {
        try await worker.run(observers: [RuntimeTracing().observer])
    }

    func options() -> RuntimeTracing {
        let tracing = RuntimeTracing(start: .oneOf(1_000))
        return tracing
    }
}
