// The block of README.md that starts a worker, so it is only compiled here. EndToEndTests run such programs.
import LatticeCoordinator
import LatticeCore
import LatticeWorker

struct Program {
    @MainActor static func main() async throws {
        if let worker = Worker.launchedBySupervisor(hosting: Counter.self) { return try await worker.run() }
        try await withCoordinator(hosting: Counter.self) { coordinator in
            let counter = try await coordinator.viewModel(Counter.self)
            await counter.sendViewEvent(.add(2)).finish()
            print(counter.viewState)  // sum 2
        }
    }
}
