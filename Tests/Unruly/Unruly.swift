import LatticeCore
import LatticeTestSupport
import LatticeWorker
import Logging

/// A worker whose features hang, crash or overload it when a test sends the action for it.
@main struct Unruly {
    static func main() async throws {
        UnrulyFeature.crashSlowly()
        guard let worker = Worker.launchedBySupervisor(hosting: UnrulyFeature.self, NamingFeature.self) else { return }
        var dependencies = HostDependencies()
        dependencies[UnrulyFeature.Log.self] = { text in
            Logger(label: "unruly") { worker.logHandler(label: $0) }.warning("\(text)")
        }
        try await worker.run(dependencies: dependencies)
    }
}
