import Foundation
import LatticeCoordinator
import LatticeCore
import LatticeSystemd
import LatticeWorker

/// A feature that adds numbers, in a worker process.
enum Counter: HostedFeature {
    enum Action: Codable, Sendable {
        case add(Int)
        case addLater(Int)
    }

    static let identifier = "counter"
    static func initialDomainState(in context: HostContext) -> Int { 0 }

    static func interactor(in context: HostContext) -> Interact<Int, Action> {
        Interact { sum, action in
            switch action {
            case .add(let number):
                sum += number
                return .none
            case .addLater(let number):
                return .perform {
                    try await Task.sleep(for: .seconds(60))
                    return .add(number)
                }
            }
        }
    }

    static func reducer() -> BuildViewState<Int, Int> {
        BuildViewState(initial: { $0 }) { sum, shown in shown = sum }
    }
}

/// A coordinator that runs until systemd or a user ends it. Operators configure it with a file and with variables, and
/// use it with `latticectl`.
@main struct Service {
    @MainActor static func main() async {
        do {
            try await run()
        } catch {
            FileHandle.standardError.write(Data("service: \(error)\n".utf8))
            exit(1)
        }
    }

    @MainActor private static func run() async throws {
        if let worker = Worker.launchedBySupervisor(hosting: Counter.self) { return try await worker.run() }
        // Without systemd there is no socket, and the second argument is the path of one.
        let socket = try SystemdSocket.takeFromEnvironment().first
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == (socket == nil ? 2 : 1), let file = arguments.first else {
            throw Usage()
        }
        var configuration = CoordinatorConfiguration()
        configuration.settingsFile = file
        configuration.settingsPrefix = "COUNTER_"
        configuration.listeningSocket = socket?.descriptor
        try await withCoordinator(
            hosting: Counter.self,
            listeningAt: socket == nil ? arguments.last : nil,
            configuration: configuration,
            // The service handles the signals.
            signals: []
        ) { coordinator in
            try await SystemdService().run(reload: { try coordinator.reload() }) {
                await coordinator.unresponsiveWorkers()
            }
        }
    }

    private struct Usage: Error, CustomStringConvertible {
        let description = "usage: service FILE SOCKET. Under a .socket unit of systemd, leave out the socket."
    }
}
