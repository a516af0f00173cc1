import Foundation
import LatticeClient
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Logging
import ServiceLifecycle
import Testing

/// Tests a coordinator and a client as services of a group.
@MainActor @Suite(.timeLimit(.minutes(10))) struct ServiceLifecycleTests {
    private struct CoordinatorService: Service {
        let path: String
        let configuration: CoordinatorConfiguration
        let ready: Watched<Bool>

        func run() async throws {
            try await withCoordinator(
                hosting: UnrulyFeature.self,
                listeningAt: path,
                configuration: configuration,
                signals: []
            ) { _ in
                ready.change { $0 = true }
                try await gracefulShutdown()
            }
        }
    }

    private struct ClientService: Service {
        let path: String
        let coordinator: Watched<Bool>
        let outcome: Watched<EventOutcome?>

        func run() async throws {
            try await coordinator.until { $0 }
            try await withClient(connectingTo: path) { client in
                let viewModel = try await client.viewModel(UnrulyFeature.self)
                let end = await viewModel.sendViewEvent(.add(1)).finish()
                outcome.change { $0 = end }
                try await gracefulShutdown()
            }
        }
    }

    @Test("A graceful shutdown of the group ends the client and then the coordinator, whose workers end in order")
    func group() async throws {
        try await withSocketPath { path in
            let workers = EventList()
            var configuration = configuration(workers: Programs.path("unruly"))
            configuration.observers = [workers.observer(of: .workers)]
            configuration.heartbeatTimeout = .seconds(60)
            let (ready, outcome) = (Watched(false), Watched<EventOutcome?>(nil))
            let group = ServiceGroup(
                services: [
                    CoordinatorService(path: path, configuration: configuration, ready: ready),
                    ClientService(path: path, coordinator: ready, outcome: outcome),
                ],
                logger: Logger(label: "services") { _ in SwiftLogNoOpLogHandler() }
            )
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group.run() }
                #expect(try await outcome.until { $0 != nil } == .finished)
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
            }
            #expect(workers.lines.last == "workerTerminated 1, exited with code 0, stop")
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }
}
