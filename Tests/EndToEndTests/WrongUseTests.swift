import LatticeClient
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Testing

/// A wrong use gets a sentence that says what to do.
@MainActor @Suite(.timeLimit(.minutes(10))) struct WrongUseTests {
    @Test(arguments: [
        ("/no/such/worker", "there is no such file"),
        ("/etc/passwd", "it is not an executable file"),
        ("/tmp", "it is not an executable file"),
    ])
    func workerThatCannotBeRun(path: String, problem: String) async throws {
        let error = await #expect(throws: CoordinatorError.self) {
            try await withCoordinator(hosting: Counter.self, configuration: configuration(workers: path)) { _ in }
        }
        #expect(error?.code == .executable)
        #expect(error?.message.contains("\"\(path)\": \(problem)") == true)
    }

    @Test("A worker that ends before the handshake is given up with an error of its own (F5)")
    func workerThatEndsAtOnce() async throws {
        var configuration = configuration(workers: "/usr/bin/false")
        // Six processes, on a machine that may be busy.
        configuration.openTimeout = .seconds(120)
        let error = await #expect(throws: CoordinatorError.self) {
            try await withCoordinator(hosting: Counter.self, configuration: configuration) {
                _ = try await $0.viewModel(Counter.self)
            }
        }
        #expect(error?.code == .workerFailed)
        #expect(error?.message.contains("the worker ended 6 times ") == true)
        #expect(error?.message.contains("exited with code 1;") == true)
    }

    @Test func viewModelAfterTheSupervisorGaveUp() async throws {
        var configuration = configuration(workers: "/usr/bin/false")
        configuration.restart.maximumFailedStarts = 0
        try await withCoordinator(hosting: Counter.self, configuration: configuration) { coordinator in
            for instance in ["early", "late"] {
                let error = await #expect(throws: CoordinatorError.self) {
                    _ = try await coordinator.viewModel(Counter.self, instance: instance)
                }
                #expect(error?.code == .workerFailed)
            }
        }
    }

    @Test func featureThatTheCoordinatorDoesNotHost() async throws {
        let error = await #expect(throws: CoordinatorError.self) {
            let configuration = configuration(workers: Programs.path("counter"))
            try await withCoordinator(hosting: Counter.self, configuration: configuration) {
                _ = try await $0.viewModel(Stranger.self)
            }
        }
        #expect(error?.code == .notHosted)
        #expect(error?.message.contains("\"stranger\"") == true)
        #expect(error?.message.contains(" counter.") == true)
    }

    @Test("A coordinator accepts an array of features that is declared elsewhere")
    func featuresInAnArray() async throws {
        let features: [any HostedFeature.Type] = [Counter.self]
        let configuration = configuration(workers: Programs.path("counter"))
        try await withCoordinator(hosting: features, configuration: configuration) { coordinator in
            let counter = try await coordinator.viewModel(Counter.self)
            #expect(counter.hostStatus != .local)
            let error = await #expect(throws: CoordinatorError.self) {
                _ = try await coordinator.viewModel(Stranger.self)
            }
            #expect(error?.code == .notHosted)
        }
    }

    @Test func featureThatTheWorkerDoesNotHave() async throws {
        let error = await #expect(throws: CoordinatorError.self) {
            let configuration = configuration(workers: Programs.path("counter"))
            try await withCoordinator(hosting: Stranger.self, configuration: configuration) {
                _ = try await $0.viewModel(Stranger.self)
            }
        }
        #expect(error?.code == .workerFailed)
        #expect(error?.message.contains("does not serve \"stranger\" (schema 1, domain level)") == true)
        #expect(error?.message.contains("it serves \"counter\" (schema 1, domain level)") == true)
    }

    @Test func featureThatTheWorkerHasInAnotherSchema() async throws {
        let error = await #expect(throws: CoordinatorError.self) {
            let configuration = configuration(workers: Programs.path("counter"))
            try await withCoordinator(hosting: NewerCounter.self, configuration: configuration) {
                _ = try await $0.viewModel(NewerCounter.self)
            }
        }
        #expect(error?.code == .workerFailed)
        #expect(error?.message.contains("does not serve \"counter\" (schema 2, domain level)") == true)
        #expect(error?.message.contains("it serves \"counter\" (schema 1, domain level)") == true)
    }

    @Test func featureThatTheOtherSideDoesNotHave() async throws {
        try await withSocketPath { path in
            let configuration = configuration(workers: Programs.path("counter"))
            try await withCoordinator(hosting: Counter.self, listeningAt: path, configuration: configuration) { _ in
                let error = await #expect(throws: ClientError.self) {
                    try await withClient(connectingTo: path) { _ = try await $0.viewModel(Stranger.self) }
                }
                #expect(error?.code == .notServed)
                #expect(error?.message.contains("\"stranger\"") == true)
                #expect(error?.message.contains(" counter.") == true)
            }
        }
    }

    @Test func otherSchema() async throws {
        try await withSocketPath { path in
            let configuration = configuration(workers: Programs.path("counter"))
            try await withCoordinator(hosting: Counter.self, listeningAt: path, configuration: configuration) { _ in
                let error = await #expect(throws: ClientError.self) {
                    try await withClient(connectingTo: path) { _ = try await $0.viewModel(NewerCounter.self) }
                }
                #expect(error?.code == .notServed)
                #expect(error?.message.contains("schema") == true)
            }
        }
    }

    @Test("A second coordinator at the same path is refused (F30)") func anotherCoordinatorOnThePath() async throws {
        try await withSocketPath { path in
            let configuration = configuration(workers: Programs.path("counter"))
            try await withCoordinator(hosting: Counter.self, listeningAt: path, configuration: configuration) { _ in
                let error = await #expect(throws: CoordinatorError.self) {
                    try await withCoordinator(hosting: Counter.self, listeningAt: path, configuration: configuration) {
                        _ in
                    }
                }
                #expect(error?.code == .listening)
                #expect(error?.message.contains("\(path).") == true)
            }
        }
    }

    @Test func noCoordinatorToConnectTo() async throws {
        try await withSocketPath { path in
            let error = await #expect(throws: ClientError.self) {
                try await withClient(connectingTo: path) { _ in }
            }
            #expect(error?.code == .connecting)
            #expect(error?.message.contains("\"\(path)\"") == true)
        }
    }
}
