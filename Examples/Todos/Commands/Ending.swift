import ArgumentParser
import ExampleSupport
import LatticeCore
import Observation

/// How a terminal's part in the list came to its end.
enum Ending: Equatable, Sendable {
    case quit
    /// Quit, after commands that could not be carried out.
    case quitWithErrors
    case signal(Int32)
    /// The coordinator has quit.
    case lost
    /// No worker can be kept running.
    case failed(HostFailure)

    /// The end of who serves the list; nil if the task is cancelled before.
    /// - Parameter role: For a client, a host that fails while it connects again is a coordinator that has gone.
    @MainActor static func ofHost(_ viewModel: ViewModel<TodosFeature>, _ role: Role) async -> Ending? {
        var isConnecting = false
        for await host in Observations({ viewModel.hostStatus }) {
            if case .failed(let failure) = host {
                return role == .client && isConnecting ? .lost : .failed(failure)
            }
            isConnecting = host == .connecting
        }
        return nil
    }

    /// Says what there is to say, once the terminal is as it was.
    func tell() {
        switch self {
        case .quit, .quitWithErrors, .signal: break
        case .lost: Console.error.say("todos: the terminal that kept the list has quit")
        case .failed(let failure): Console.error.say("todos: \(failure.reason)")
        }
    }

    var exitCode: ExitCode {
        switch self {
        case .quit, .lost: .success
        case .quitWithErrors, .failed: ExitCode(1)
        case .signal(let number): ExitCode(128 + number)
        }
    }
}
