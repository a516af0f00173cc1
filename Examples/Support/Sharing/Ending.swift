package import ArgumentParser
package import LatticeCore
import Observation

/// How a terminal's part in what it shares came to its end.
package enum Ending: Equatable, Sendable {
    case quit
    /// Quit, after commands that could not be carried out.
    case quitWithErrors
    case signal(Int32)
    /// The coordinator has quit.
    case lost
    /// No worker can be kept running.
    case failed(HostFailure)

    /// The end of who serves the feature; nil if the task is cancelled before.
    /// - Parameter role: For a client, a host that fails while it connects again is a coordinator that has gone, unless
    ///   it has a result: then the coordinator runs, and the reason names the problem.
    @MainActor package static func ofHost<Feature>(_ viewModel: ViewModel<Feature>, _ role: Role) async -> Ending? {
        var isConnecting = false
        for await host in Observations({ viewModel.hostStatus }) {
            if case .failed(let failure) = host {
                let isGone = role == .client && isConnecting && failure.result == nil
                return isGone ? .lost : .failed(failure)
            }
            isConnecting = host == .connecting
        }
        return nil
    }

    /// Says what there is to say, once the terminal is as it was.
    /// - Parameters:
    ///   - program: Who says it.
    ///   - shared: What is gone when the first terminal quits: "the list", for instance.
    package func tell(as program: String, of shared: String) {
        switch self {
        case .quit, .quitWithErrors, .signal: break
        case .lost: Console.error.say("\(program): the terminal that kept \(shared) has quit")
        case .failed(let failure): Console.error.say("\(program): \(failure.reason)")
        }
    }

    /// Whether the user asked for this end.
    package var isQuit: Bool { self == .quit || self == .quitWithErrors }

    package var exitCode: ExitCode {
        switch self {
        case .quit, .lost: .success
        case .quitWithErrors, .failed: ExitCode(1)
        case .signal(let number): ExitCode(128 + number)
        }
    }
}
