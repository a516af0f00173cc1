package import LatticeClient
package import LatticeCoordinator
package import LatticeCore
import Logging

/// Joins the process that shares a feature at a socket, or becomes that process.
@MainActor package final class Sharing<Feature: HostedFeature> {
    /// Uses the feature, in one of the two roles.
    package typealias Body = @MainActor @Sendable (ViewModel<Feature>, Role) async throws -> Ending

    /// The number of attempts while another terminal is just starting or quitting.
    private static var attempts: Int { 20 }
    private static var pause: Duration { .milliseconds(50) }

    private let socket: String
    private let configuration: CoordinatorConfiguration
    /// A Boolean value that indicates whether `body` is running, which then handles signals itself.
    private var hasJoined = false

    /// Creates a sharing.
    ///
    /// - Parameters:
    ///   - socket: The socket at which the terminals meet.
    ///   - configuration: The configuration of the coordinator, if this is the first process.
    package init(socket: String, configuration: CoordinatorConfiguration) {
        self.socket = socket
        self.configuration = configuration
    }

    /// Runs `body` with the view model. A signal that arrives before ends the attempt to join.
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
                // There is no coordinator at the socket.
            } catch let error as ClientError {
                throw ProgramError(error.message)
            }
            do {
                return try await coordinate(body)
            } catch let error as CoordinatorError where error.code == .listening && attempt < Self.attempts {
                // Another process may have been faster, and will accept clients soon.
                try await Task.sleep(for: Self.pause)
            } catch let error as CoordinatorError {
                throw ProgramError(error.message)
            }
        }
        preconditionFailure("The last attempt returns or throws.")
    }

    private func attach(_ body: Body) async throws -> Ending {
        var configuration = ClientConfiguration()
        // This is long enough for a terminal that was suspended, and for connections that are cut several times. A
        // coordinator that has quit does not come back. A connection counts as stable well before the timeout.
        configuration.reconnect.timeout = .seconds(2)
        configuration.reconnect.stableTime = .milliseconds(100)
        // Nothing is logged: `Ending` reports how the connection ended, and log lines would disturb a screen.
        configuration.logger.logLevel = .critical
        return try await withClient(connectingTo: socket, configuration: configuration) { client in
            let viewModel = try await client.viewModel(Feature.self)
            hasJoined = true
            return try await body(viewModel, .client(client))
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

/// The role of a process in sharing a feature.
package enum Role: Sendable {
    /// The process came first. It owns the worker, and the shared state is gone when it quits.
    case coordinator
    /// The process has joined through this client.
    case client(Client)
}
