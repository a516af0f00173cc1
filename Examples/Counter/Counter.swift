import Foundation
import LatticeCoordinator
import LatticeCore
import LatticeWorker

/// A feature that adds numbers, in a worker process or in this one.
enum Counter: HostedFeature {
    enum Action: Codable, Sendable {
        case add(Int)
        case addLater(Int)
    }

    static let identifier = "counter"
    static func initialDomainState(in context: HostContext) -> Int { 0 }

    // Runs in the worker. It changes the state and returns effects.
    static func interactor(in context: HostContext) -> Interact<Int, Action> {
        Interact { sum, action in
            switch action {
            case .add(let number):
                sum += number
                return .none
            case .addLater(let number):
                return .perform {
                    try await Task.sleep(for: .milliseconds(400))
                    return .add(number)
                }
            }
        }
    }

    // Runs in the coordinator. It derives the view state.
    static func reducer() -> BuildViewState<Int, String> {
        BuildViewState(initial: { _ in "" }) { sum, text in text = "sum \(sum)" }
    }
}

@main struct Program {
    @MainActor static func main() async {
        do {
            try await run()
        } catch {
            // Print the error as a sentence. An error that is thrown from `main` would print a crash report instead.
            FileHandle.standardError.write(Data("counter: \(error)\n".utf8))
            exit(1)
        }
    }

    @MainActor static func run() async throws {
        // The coordinator starts this program again as the worker.
        if let worker = Worker.launchedBySupervisor(hosting: Counter.self) { return try await worker.run() }

        // This is the only place that decides where the feature runs.
        if CommandLine.arguments.contains("--in-process") { return await use(ViewModel(inProcess: Counter.self)) }
        try await withCoordinator(hosting: Counter.self) { coordinator in
            await use(try await coordinator.viewModel(Counter.self))
        }
    }

    @MainActor static func use(_ counter: ViewModel<Counter>) async {
        await counter.sendViewEvent(.add(2)).finish()
        print(counter.viewState)

        // Kill the worker. The next one continues with the last acknowledged state.
        if case .serving(let serving) = counter.hostStatus { kill(serving.processID, SIGKILL) }
        let outcome = await counter.sendViewEvent(.addLater(3)).finish()
        print(counter.viewState, outcome)
    }
}
