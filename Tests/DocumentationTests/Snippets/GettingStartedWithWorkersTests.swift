import Lattice
import LatticeCoordinator
import LatticeWorker
import Testing

/// The blocks of GettingStartedWithWorkers.md. Code that starts processes is only compiled here; EndToEndTests run such
/// code.
@MainActor @Suite(.timeLimit(.minutes(10))) struct GettingStartedWithWorkersTests {
    struct Program {
        @MainActor static func main() async throws {
            if let worker = Worker.launchedBySupervisor(hosting: Upload.self) { return try await worker.run() }

            try await withCoordinator(hosting: Upload.self) { coordinator in
                let uploads = try await coordinator.viewModel(Upload.self)
                let outcome = await uploads.sendViewEvent(.start(file: "a.txt")).finish()
                print(outcome, uploads.viewState)
            }
        }
    }

    @Test func theSameFeatureInThisProcess() async {
        let uploads = ViewModel(inProcess: Upload.self)
        await uploads.sendViewEvent(.start(file: "a.txt")).finish()
        #expect(uploads.viewState == ["a.txt"])
        #expect(uploads.hostStatus == .local)
    }

    func configured() -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.configure(Notes.self) { instance in
            Notes.Configuration(maximumResults: instance == "short" ? 3 : 20)
        }
        return configuration
    }

    func worker() async throws {
        if let worker = Worker.launchedBySupervisor(hosting: Notes.self) {
            var dependencies = HostDependencies()
            dependencies[WordsKey.self] = { $0.lowercased().split(separator: " ") }
            return try await worker.run(dependencies: dependencies)
        }
    }

    @Test func aContextIsMadeByHand() async {
        var context = HostContext(configuration: Notes.Configuration(maximumResults: 1))
        context[WordsKey.self] = { $0.lowercased().split(separator: " ") }
        let notes = ViewModel(inProcess: Notes.self, in: context)
        for note in ["Buy milk", "milk the cow"] { await notes.sendViewEvent(.add(note)).finish() }
        await notes.sendViewEvent(.find("milk")).finish()
        #expect(notes.viewState == ["Buy milk"])
    }
}
