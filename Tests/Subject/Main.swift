import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import LatticeWorker

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A worker or a coordinator for tests.
///
/// Started by a supervisor, the program is a worker. It takes `SUBJECT_LEAVE` milliseconds to leave, and then creates
/// the file at the path in `SUBJECT_LEFT`.
///
/// Started by hand, the program is a coordinator that listens at the path in its first argument. It installs no signal
/// handlers of its own. If the variable `SUBJECT_SIGNALS` is set, the library handles no signals either.
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
