import LatticeTestSupport
import LatticeWorker

/// A worker whose features do to it what tests ask for.
@main struct Unruly {
    static func main() async throws {
        UnrulyFeature.crashSlowly()
        try await Worker.launchedBySupervisor(hosting: UnrulyFeature.self, NamingFeature.self)?.run()
    }
}
