import LatticeClient
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Testing

/// What a coordinator does before it lets clients in.
@Suite(.timeLimit(.minutes(2))) @MainActor struct RestoringTests {
    private struct Unreadable: Error {}

    private var configuration: CoordinatorConfiguration {
        EndToEndTests.configuration(workers: Programs.path("unruly"))
    }

    @Test("An instance that is restored has its state before a client that was there first is let in")
    func clientsWait() async throws {
        try await withSocketPath { path in
            let seen = Watched<[Int]>([])
            let clients = Watched<[Task<Void, any Error>]>([])
            var configuration = configuration
            var patient = ClientConfiguration()
            patient.connectTimeout = .seconds(100)
            configuration.restoring = { [patient] coordinator in
                for _ in 0..<2 {
                    // Parentless: they outlive the closure, which must not wait for them.
                    let client = Task {
                        try await withClient(connectingTo: path, configuration: patient) { client in
                            let sum = try await client.viewModel(UnrulyFeature.self)
                            let shown = sum.viewState
                            seen.change { $0.append(shown) }
                        }
                    }
                    clients.change { $0.append(client) }
                }
                // Many round trips, in which a client would have been let in.
                for number in 0..<20 {
                    _ = try await coordinator.viewModel(UnrulyFeature.self, instance: "\(number)")
                }
                #expect(seen.value == [])
                let sum = try await coordinator.viewModel(UnrulyFeature.self, instance: "", initialDomainState: 20)
                #expect(sum.viewState == 20)
            }
            try await withCoordinator(hosting: UnrulyFeature.self, listeningAt: path, configuration: configuration) {
                _ in
                for client in clients.value { try await client.value }
            }
            #expect(seen.value == [20, 20])
        }
    }

    @Test("Where nothing can be restored the coordinator does not run, and says why")
    func failure() async throws {
        try await withSocketPath { path in
            var configuration = configuration
            configuration.restoring = { _ in throw Unreadable() }
            await #expect(throws: Unreadable.self) {
                try await withCoordinator(
                    hosting: UnrulyFeature.self,
                    listeningAt: path,
                    configuration: configuration
                ) { _ in
                    Issue.record("it runs")
                }
            }
        }
    }

    @Test("A state for an instance that a client has opened before is refused with what to do")
    func tooLate() async throws {
        try await withSocketPath { path in
            try await withCoordinator(hosting: UnrulyFeature.self, listeningAt: path, configuration: configuration) {
                coordinator in
                try await withClient(connectingTo: path) { client in
                    _ = try await client.viewModel(UnrulyFeature.self)
                    let error = await #expect(throws: CoordinatorError.self) {
                        _ = try await coordinator.viewModel(UnrulyFeature.self, instance: "", initialDomainState: 20)
                    }
                    #expect(error?.code == .exists)
                    #expect(
                        error?.message
                            == "the instance \"\" of \"unruly\" is there already and keeps its state, so it cannot start"
                            + " from another one; a client may have opened it: restore instances in the configuration's"
                            + " restoring, or close this one before"
                    )
                }
            }
        }
    }
}
