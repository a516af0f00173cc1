import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import LatticeWorker

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A worker that takes `SUBJECT_LEAVE` milliseconds to leave and then makes the file `SUBJECT_LEFT`; without a
/// supervisor a coordinator that listens at its argument and handles no signal itself, with `SUBJECT_SIGNALS` none at
/// all.
@main enum Main {
    @MainActor static func main() async throws {
        if let worker = Worker.launchedBySupervisor(hosting: Subject.self, ArchiveFeature.self, WordsFeature.self) {
            var dependencies = HostDependencies()
            dependencies[WordsFeature.PrefixKey.self] = "found "
            try await worker.run(dependencies: dependencies)
            return leave()
        }
        try await withCoordinator(
            hosting: Subject.self,
            listeningAt: CommandLine.arguments[1],
            signals: variable("SUBJECT_SIGNALS") == nil ? [.terminate, .interrupt, .hangUp] : []
        ) { coordinator in
            _ = try await coordinator.viewModel(Subject.self)
            _ = write(STDOUT_FILENO, "serving\n", 8)
            try await Task.sleep(for: .seconds(600))
        }
    }

    private static func leave() {
        guard let milliseconds = variable("SUBJECT_LEAVE").flatMap(UInt32.init) else { return }
        usleep(milliseconds * 1000)
        guard let path = variable("SUBJECT_LEFT") else { return }
        close(open(path, O_CREAT | O_WRONLY, 0o600))
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
