import LatticeCoordinator
import LatticeSystemd

/// The blocks of LatticeSystemd.md and of comments of that module.
@MainActor struct SystemdSnippets {
    func service(_ path: String) async throws {
        try await withCoordinator(hosting: Counter.self, listeningAt: path, signals: []) { coordinator in
            try await SystemdService().run { await coordinator.unresponsiveWorkers() }
        }
    }

    func status() throws {
        try SystemdNotifier.fromEnvironment()?.send(.status("Restoring 12 of 40 instances."))
    }
}
