import CoreMetrics
import LatticeCoordinator
import LatticeMetrics

/// The blocks of LatticeMetrics.md and of comments of that module.
@MainActor struct MetricsSnippets {
    func serve(_ coordinator: Coordinator) async throws {}

    func endpoint() async throws {
        let registry = PrometheusRegistry()
        let metrics = RuntimeMetrics(factory: registry)
        var configuration = CoordinatorConfiguration()
        configuration.observers.append(metrics.observer)
        try await withCoordinator(hosting: Counter.self, configuration: configuration) { coordinator in
            try await withMetricsEndpoint(registry, at: .loopback(port: 9464)) {
                metrics.record(await coordinator.figures())
            } _: { endpoint in
                print("metrics at \(endpoint.address)")
                try await serve(coordinator)
            }
        }
    }

    func backEnd(_ registry: PrometheusRegistry) -> RuntimeMetrics {
        MetricsSystem.bootstrap(registry)
        let metrics = RuntimeMetrics()
        return metrics
    }
}
