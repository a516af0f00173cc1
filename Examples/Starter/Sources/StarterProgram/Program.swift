import Foundation
import LatticeClient
import LatticeCoordinator
import LatticeCore
import LatticeWorker
import StarterFeature

/// One program in three roles: the coordinator, its worker, and a client.
@main struct Program {
    @MainActor static func main() async {
        do {
            try await run()
        } catch {
            // An error that is thrown from `main` would print a crash report instead of a sentence.
            FileHandle.standardError.write(Data("starter: \(error)\n".utf8))
            exit(1)
        }
    }

    @MainActor private static func run() async throws {
        // The coordinator starts this program again as the worker.
        if let worker = Worker.launchedBySupervisor(hosting: StarterFeature.self) { return try await worker.run() }

        // The coordinator and the clients meet at this socket.
        let socket = try Coordinator.runtimeDirectory("starter") + "/main"
        let arguments = CommandLine.arguments.dropFirst()
        switch (arguments.first, arguments.dropFirst().first.flatMap { Int($0) }) {
        case ("serve"?, nil) where arguments.count == 1: try await serve(at: socket)
        case ("add"?, let number?) where arguments.count == 2: try await add(number, at: socket)
        default: throw Usage()
        }
    }

    /// Runs the coordinator until Ctrl-C. It starts the worker, accepts clients, and prints each state.
    @MainActor private static func serve(at socket: String) async throws {
        try await withCoordinator(hosting: StarterFeature.self, listeningAt: socket) { coordinator in
            let viewModel = try await coordinator.viewModel(StarterFeature.self)
            for await text in viewModel.viewStates { print(text) }
        }
    }

    /// Sends one event as a client, waits until it has ended, and prints its outcome and the state.
    @MainActor private static func add(_ number: Int, at socket: String) async throws {
        try await withClient(connectingTo: socket) { client in
            let viewModel = try await client.viewModel(StarterFeature.self)
            let outcome = await viewModel.sendViewEvent(.addLater(number)).finish()
            print(outcome, viewModel.viewState)
        }
    }

    private struct Usage: Error, CustomStringConvertible {
        let description = "usage: starter serve | starter add NUMBER"
    }
}
