import LatticeClient
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Testing

/// Tests the restoring of instances before a coordinator accepts clients.
@Suite(.timeLimit(.minutes(10))) @MainActor struct RestoringTests {
    private struct Unreadable: Error {}

    private var configuration: CoordinatorConfiguration {
        EndToEndTests.configuration(workers: Programs.path("unruly"))
    }

    @Test("A restored instance has its state before a client that connected earlier is accepted")
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

    @Test("A coordinator that cannot restore an instance does not run, and says why")
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

    @Test("A state for an instance that a client has opened already is refused, and the error says what to do")
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
                    #expect(error?.message.contains("\"unruly\"") == true)
                }
            }
        }
    }
}
