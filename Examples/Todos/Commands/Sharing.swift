import LatticeClient
import LatticeCoordinator
import LatticeCore
import Logging

/// Joins whoever shares a list at a socket, or is the first one there.
@MainActor struct Sharing {
    /// How often to look again when another terminal is just starting or quitting.
    private static let attempts = 20
    private static let pause: Duration = .milliseconds(50)

    let socket: String
    /// Where the supervisor's messages go.
    let logger: Logger

    /// Runs `body` with the view model of the list.
    func run(_ body: @MainActor (ViewModel<TodosFeature>, Role) async throws -> Ending) async throws -> Ending {
        for attempt in 1... {
            do {
                return try await attach(body)
            } catch let error as ClientError where error.code == .connecting {
                // Nobody is there.
            } catch let error as ClientError {
                throw TodosError(error.message)
            }
            do {
                return try await coordinate(body)
            } catch let error as CoordinatorError where error.code == .listening && attempt < Self.attempts {
                // Perhaps another one was faster, and takes clients in a moment.
                try await Task.sleep(for: Self.pause)
            } catch let error as CoordinatorError {
                throw TodosError(error.message)
            }
        }
        preconditionFailure("the last attempt returns or throws")
    }

    private func attach(
        _ body: @MainActor (ViewModel<TodosFeature>, Role) async throws -> Ending
    ) async throws -> Ending {
        var configuration = ClientConfiguration()
        // Long enough for a terminal that was suspended; a coordinator that has quit does not come back.
        configuration.reconnect.limit = .seconds(1)
        return try await withClient(connectingTo: socket, configuration: configuration) { client in
            try await body(try await client.viewModel(TodosFeature.self), .client)
        }
    }

    private func coordinate(
        _ body: @MainActor (ViewModel<TodosFeature>, Role) async throws -> Ending
    ) async throws -> Ending {
        var configuration = CoordinatorConfiguration()
        configuration.logger = logger
        return try await withCoordinator(
            hosting: TodosFeature.self,
            listeningAt: socket,
            configuration: configuration
        ) { coordinator in
            try await body(try await coordinator.viewModel(TodosFeature.self), .coordinator)
        }
    }
}
