import Lattice
import LatticeClient
import LatticeCoordinator
import LatticeWorker

/// The blocks of Clients.md except the client program, which is in `ViewerProgram.swift`. They are only compiled here,
/// because they need a coordinator.
@MainActor struct ClientsSnippets {
    struct Uploader {
        @MainActor static func main() async throws {
            if let worker = Worker.launchedBySupervisor(hosting: Upload.self) { return try await worker.run() }
            let path = try Coordinator.runtimeDirectory("uploads") + "/main"
            try await withCoordinator(hosting: Upload.self, listeningAt: path) { _ in
                // Serves clients until SIGTERM, SIGINT or SIGHUP stops the coordinator and ends the process.
                while true { try await Task.sleep(for: .seconds(3600)) }
            }
        }
    }

    func sendOne(_ path: String) async throws {
        try await withClient(connectingTo: path) { client in
            let uploads = try await client.viewModel(Upload.self)
            let outcome = await uploads.sendViewEvent(.start(file: "a.txt")).finish()
            print(outcome, uploads.viewState)
        }
    }

    func lists(_ coordinator: Coordinator) {
        for instance in coordinator.instances {
            print(instance.feature, instance.instance, instance.hostStatus, instance.clients)
        }
        for client in coordinator.clients {
            print(client.processID ?? 0, client.since, client.features)
        }
    }

    func fair() -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.cancelEffectsOfLostClients(Notes.self)
        return configuration
    }
}
