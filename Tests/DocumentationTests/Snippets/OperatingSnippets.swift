import LatticeCoordinator
import ServiceLifecycle

// The block of Operating.md.

struct CounterService: Service {
    func run() async throws {
        try await withCoordinator(hosting: Counter.self, signals: []) { _ in try await gracefulShutdown() }
    }
}
