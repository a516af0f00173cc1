import LatticeCoordinator
import LatticeCore
import LatticeWorker
import Testing

/// The blocks of README.md. Code that starts processes is only compiled here. EndToEndTests run such code.
@MainActor @Suite(.timeLimit(.minutes(3))) struct ReadmeTests {
    @Test func inOneProcess() async {
        var printed: [String] = []
        func print(_ item: String) { printed.append(item) }

        let counter = ViewModel(inProcess: Counter.self)
        await counter.sendViewEvent(.add(2)).finish()
        print(counter.viewState)  // sum 2

        #expect(printed == ["sum 2"])
    }

    func inAWorker() async throws {
        if let worker = Worker.launchedBySupervisor(hosting: Counter.self) { return try await worker.run() }
        try await withCoordinator(hosting: Counter.self) { coordinator in
            let counter = try await coordinator.viewModel(Counter.self)
            await counter.sendViewEvent(.add(2)).finish()
            print(counter.viewState)  // sum 2
        }
    }
}
