import Lattice
import LatticeCoordinator
import LatticeTesting
import Testing

/// The block of Testing.md that starts processes: compiled here, and run by EndToEndTests in its own words.
@MainActor struct FaultSnippets {
    func everyNoteIsTaken(under plan: FaultPlan, workers: String) async throws -> Bool {
        var configuration = CoordinatorConfiguration()
        configuration.workerExecutable = workers
        configuration.inject(plan, into: .workers)
        return try await withCoordinator(hosting: Notes.self, configuration: configuration) { coordinator in
            let notes = try await coordinator.viewModel(Notes.self)
            for number in 1...50 {
                guard await notes.sendViewEvent(.add("note \(number)")).finish() == .finished else { return false }
            }
            return true
        }
    }

    func notesSurviveFaults(seed: UInt64, workers: String) async {
        let scope = FaultPlan.Scope(faults: 30, connections: 5, bytes: 5_000, kinds: FaultPlan.Scope.Kind.ofServing)
        let plan = FaultPlan(seed: seed, scope)
        // A coordinator that gives up on its workers is a failure too.
        func fails(_ plan: FaultPlan) async -> Bool {
            (try? await everyNoteIsTaken(under: plan, workers: workers)) != true
        }
        if await fails(plan) { Issue.record("\(await plan.shrunk(whileFailing: fails)), of \(plan)") }
    }
}
