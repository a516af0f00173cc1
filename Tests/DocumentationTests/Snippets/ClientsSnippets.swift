import Lattice
import LatticeClient
import LatticeCoordinator
import Observation

/// The blocks of Clients.md and of the page of module LatticeClient, which are only compiled here: they need a
/// coordinator.
@MainActor struct ClientsSnippets {
    func client(path: String) async throws {
        try await withClient(connectingTo: path) { client in
            let uploads = try await client.viewModel(Upload.self)
            for await done in uploads.viewStates {
                print(done)
            }
        }
    }

    func status(_ client: Client) async {
        for await status in Observations({ client.connectionStatus }) {
            print(status)
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
