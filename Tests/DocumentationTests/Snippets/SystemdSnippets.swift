import LatticeCoordinator
import LatticeSystemd

/// The blocks of LatticeSystemd.md and of comments of that module.
@MainActor struct SystemdSnippets {
    func service(_ path: String) async throws {
        try await withCoordinator(hosting: Counter.self, listeningAt: path, signals: []) { coordinator in
            try await SystemdService().run { await coordinator.unresponsiveWorkers() }
        }
    }

    func reloading(_ coordinator: Coordinator) async throws {
        try await SystemdService().run(reload: { try coordinator.reload() }) { await coordinator.unresponsiveWorkers() }
    }

    func activation() throws {
        let socket = try SystemdSocket.takeFromEnvironment().first
        var configuration = CoordinatorConfiguration()
        configuration.listeningSocket = socket?.descriptor
        // SystemdSocket's own comment has the rest.
        _ = configuration
    }

    func settings() {
        var configuration = CoordinatorConfiguration()
        configuration.settingsFile = "/etc/my-app/my-app.conf"
        configuration.settingsPrefix = "MY_APP_"
        _ = configuration
    }

    func status() throws {
        try SystemdNotifier.fromEnvironment()?.send(.status("Restoring 12 of 40 instances."))
    }
}
