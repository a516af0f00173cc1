// The client of Clients.md and of the page of module LatticeClient. It is only compiled here, because it needs a
// coordinator.
import LatticeClient
import LatticeCore
import Observation

struct Viewer {
    @MainActor static func main() async throws {
        let path = try Client.runtimeDirectory("uploads") + "/main"
        try await withClient(connectingTo: path) { client in
            let uploads = try await client.viewModel(Upload.self)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await Self.showStates(of: uploads) }
                group.addTask { await Self.showEnd(of: client) }
                await group.next()
                group.cancelAll()
            }
        }
    }

    @MainActor static func showStates(of uploads: ViewModel<Upload>) async {
        for await done in uploads.viewStates { print(done) }
    }

    @MainActor static func showEnd(of client: Client) async {
        for await case .closed(let error?) in Observations({ client.connectionStatus }) {
            print(error)
            return
        }
    }
}
