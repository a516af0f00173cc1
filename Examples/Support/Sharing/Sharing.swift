import LatticeClient
package import LatticeCoordinator
package import LatticeCore

/// Joins whoever shares a feature at a socket, or is the first one there.
@MainActor package final class Sharing<Feature: HostedFeature> {
    package typealias Body = @MainActor @Sendable (ViewModel<Feature>, Role) async throws -> Ending

    /// How often to look again when another terminal is just starting or quitting.
    private static var attempts: Int { 20 }
    private static var pause: Duration { .milliseconds(50) }

    private let socket: String
    private let configuration: CoordinatorConfiguration
    /// From here on the body sees to the signals.
    private var hasJoined = false

    /// - Parameter configuration: For who is the first one.
    package init(socket: String, configuration: CoordinatorConfiguration) {
        self.socket = socket
        self.configuration = configuration
    }

    /// Runs `body` with the view model; a signal that comes before ends the attempt to get there.
    package func run(_ signals: Signals, _ body: @escaping Body) async throws -> Ending {
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
        // Long enough for a terminal that was suspended, and for connections that are cut a few times in a row; a
        // coordinator that has quit does not come back. A connection counts as had back long before the limit.
        configuration.reconnect.limit = .seconds(2)
        configuration.reconnect.stableTime = .milliseconds(100)
        return try await withClient(connectingTo: socket, configuration: configuration) { client in
            let viewModel = try await client.viewModel(Feature.self)
            hasJoined = true
            return try await body(viewModel, .client)
        }
    }

    private func coordinate(_ body: Body) async throws -> Ending {
        try await withCoordinator(
            hosting: Feature.self,
            listeningAt: socket,
            configuration: configuration
        ) { coordinator in
            let viewModel = try await coordinator.viewModel(Feature.self)
            hasJoined = true
            return try await body(viewModel, .coordinator)
        }
    }
}

/// What a process is for the others that share with it.
package enum Role: Equatable, Sendable {
    /// It was there first: it owns the worker, and what is shared goes when it quits.
    case coordinator
    case client
}
