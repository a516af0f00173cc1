import LatticeCoordinator
import LatticeCore
import Logging

/// Coordinators as the benchmarks want them.
enum BenchCoordinator {
    /// Runs a coordinator with a worker for echoes.
    @MainActor static func run(_ body: (Coordinator) async throws -> Void) async throws {
        try await withCoordinator(hosting: EchoFeature.self, configuration: configuration) { coordinator in
            try await body(coordinator)
        }
    }

    /// A worker that dies is a failure here, not something to survive.
    static var configuration: CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.restart.kind = .temporary
        configuration.logger.logLevel = .warning
        return configuration
    }
}
