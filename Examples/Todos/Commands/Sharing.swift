import ExampleSupport
import LatticeClient
import LatticeCoordinator
import LatticeCore
import Logging

/// Joins whoever shares a list at a socket, or is the first one there.
@MainActor final class Sharing {
    typealias Body = @MainActor @Sendable (ViewModel<TodosFeature>, Role) async throws -> Ending

    /// How often to look again when another terminal is just starting or quitting.
    private static let attempts = 20
    private static let pause: Duration = .milliseconds(50)

    private let socket: String
    private let logger: Logger
    /// From here on the body sees to the signals.
    private var hasJoined = false

    /// - Parameter logger: Where the supervisor's messages go.
    init(socket: String, logger: Logger) {
        self.socket = socket
        self.logger = logger
    }

    /// Runs `body` with the view model of the list; a signal that comes before ends the attempt to get there.
    func run(_ signals: Signals, _ body: @escaping Body) async throws -> Ending {
        try await withThrowingTaskGroup(of: Ending?.self) { group in
            group.addTask { try await self.join(body) }
            group.addTask {
                let ending = await signals.first().map { Ending.signal($0) }
                return await self.hasJoined ? nil : ending
            }
            defer { group.cancelAll() }
            for try await case let ending? in group { return ending }
            return .quit
        }
    }

    private func join(_ body: Body) async throws -> Ending {
        for attempt in 1... {
            do {
                return try await attach(body)
            } catch let error as ClientError where error.code == .connecting {
                // Nobody is there.
            } catch let error as ClientError {
                throw ProgramError(error.message)
            }
            do {
                return try await coordinate(body)
            } catch let error as CoordinatorError where error.code == .listening && attempt < Self.attempts {
                // Perhaps another one was faster, and takes clients in a moment.
                try await Task.sleep(for: Self.pause)
            } catch let error as CoordinatorError {
                throw ProgramError(error.message)
            }
        }
        preconditionFailure("the last attempt returns or throws")
    }

    private func attach(_ body: Body) async throws -> Ending {
        var configuration = ClientConfiguration()
        // Long enough for a terminal that was suspended; a coordinator that has quit does not come back.
        configuration.reconnect.limit = .seconds(1)
        return try await withClient(connectingTo: socket, configuration: configuration) { client in
            let viewModel = try await client.viewModel(TodosFeature.self)
            hasJoined = true
            return try await body(viewModel, .client)
        }
    }

    private func coordinate(_ body: Body) async throws -> Ending {
        var configuration = CoordinatorConfiguration()
        configuration.logger = logger
        return try await withCoordinator(
            hosting: TodosFeature.self,
            listeningAt: socket,
            configuration: configuration
        ) { coordinator in
            let viewModel = try await coordinator.viewModel(TodosFeature.self)
            hasJoined = true
            return try await body(viewModel, .coordinator)
        }
    }
}

/// What a process is for the others that share its list.
enum Role: Equatable, Sendable {
    /// It was there first: it owns the worker, and the list goes when it quits.
    case coordinator
    case client
}
