import Foundation
import LatticeClient
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Testing

/// Tests a coordinator's lists of instances and clients.
@MainActor @Suite(.timeLimit(.minutes(10))) struct ListsTests {
    @Test("A coordinator lists its instances and its clients")
    func lists() async throws {
        try await withSocketPath { path in
            let configuration = configuration(workers: Programs.path("unruly"))
            try await withCoordinator(hosting: UnrulyFeature.self, listeningAt: path, configuration: configuration) {
                coordinator in
                #expect(coordinator.instances.isEmpty)
                #expect(coordinator.clients.isEmpty)
                let own = try await coordinator.viewModel(UnrulyFeature.self)
                try await withClient(connectingTo: path) { client in
                    _ = try await client.viewModel(UnrulyFeature.self, instance: "a")
                    let instances = coordinator.instances
                    #expect(instances.map(\.instance) == ["", "a"] && instances.allSatisfy(\.isServing))
                    #expect(instances.first?.hostStatus == own.hostStatus)
                    let clients = coordinator.clients
                    #expect(clients.map(\.processID) == [getpid()] && clients.map(\.userID) == [geteuid()])
                }
                try await poll { coordinator.clients.isEmpty }
            }
        }
    }
}
