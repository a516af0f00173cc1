import LatticeTestSupport
import LatticeWorker

/// A worker whose features hang, crash or overload it when a test sends the action for it.
@main struct Unruly {
    static func main() async throws {
        UnrulyFeature.crashSlowly()
        try await Worker.launchedBySupervisor(hosting: UnrulyFeature.self, NamingFeature.self)?.run()
    }
}
