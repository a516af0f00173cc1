package import ArgumentParser
import LatticeClient
package import LatticeCore
import Observation

/// The way in which a terminal has ended its part in a shared feature.
package enum Ending: Equatable, Sendable {
    /// The user has quit.
    case quit
    /// The user has quit, and some commands could not be carried out.
    case quitWithErrors
    /// A signal with this number has ended the program.
    case signal(Int32)
    /// The coordinator has quit.
    case lost
    /// No worker can be kept running.
    case failed(HostFailure)

    /// Waits until the host of the feature has ended, and returns how. Returns nil if the task is cancelled before.
    ///
    /// - Parameters:
    ///   - viewModel: The view model.
    ///   - role: The role of this process. For a client, a host that fails while it connects again is a coordinator
    ///     that has quit, unless the client reports that the coordinator still runs. Then the reason names the problem.
    @MainActor package static func ofHost<Feature>(_ viewModel: ViewModel<Feature>, _ role: Role) async -> Ending? {
        var isConnecting = false
        for await host in Observations({ viewModel.hostStatus }) {
            if case .failed(let failure) = host {
                guard case .client(let client) = role, isConnecting, await hasLostCoordinator(client) else {
                    return .failed(failure)
                }
                return .lost
            }
            isConnecting = host == .connecting
        }
        return nil
    }

    /// Returns whether a client has given up because the coordinator does not exist any more.
    @MainActor private static func hasLostCoordinator(_ client: Client) async -> Bool {
        for await status in Observations({ client.connectionStatus }) {
            switch status {
            case .closed(let error): return error.map { $0.code == .connecting } ?? true
            case .connecting, .connected: return false
            case .reconnecting: break
            }
        }
        return false
    }

    /// Reports the ending, after the terminal has been restored.
    /// - Parameters:
    ///   - program: The name of the program.
    ///   - shared: The thing that is gone when the first terminal quits, for example "the list".
    package func tell(as program: String, of shared: String) {
        switch self {
        case .quit, .quitWithErrors, .signal: break
        case .lost: Console.error.say("\(program): the terminal that kept \(shared) has quit")
        case .failed(let failure): Console.error.say("\(program): \(failure.reason)")
        }
    }

    /// A Boolean value that indicates whether the user asked for this ending.
    package var isQuit: Bool { self == .quit || self == .quitWithErrors }

    /// The exit code for this ending.
    package var exitCode: ExitCode {
        switch self {
        case .quit, .lost: .success
        case .quitWithErrors, .failed: ExitCode(1)
        case .signal(let number): ExitCode(128 + number)
        }
    }
}
