import LatticeCoordinator
import LatticeFaults
import Logging

/// The current speed of this machine, and the timeouts of a round that are derived from it. All other limits are the
/// same on every machine.
struct ChaosPace: Codable, Equatable, Sendable {
    /// The time from the start of a worker until it serves.
    let start: Duration

    /// The pace of a machine that has nothing else to do.
    static let quiet = ChaosPace(start: .milliseconds(60))

    /// The time that all may take to end, without faults.
    private static let basicPatience: Duration = .seconds(30)
    /// The shortest limits, whatever was measured.
    private static let minimumBootTimeout: Duration = .milliseconds(500)
    private static let minimumLeaveTimeout: Duration = .seconds(1)
    private static let minimumLimitPatience: Duration = .milliseconds(500)
    /// The time that the teardown of a worker that hangs takes besides.
    private static let teardownTime: Duration = .milliseconds(500)
    /// How many starts are measured. The slowest counts.
    private static let measuredStarts = 2

    /// The time that a start may take: eight times what was measured, since other work may come and go.
    var bootTimeout: Duration { max(Self.minimumBootTimeout, start * 8) }

    /// The time that may pass between the moment at which a job passes a limit and its end: half a second on a machine
    /// that has nothing else to do.
    var limitPatience: Duration { max(Self.minimumLimitPatience, start * 8) }

    /// The time in which a process that ends has to be gone.
    var leaveTimeout: Duration { max(Self.minimumLeaveTimeout, start * 4) }

    /// The time that all may take to end, with these faults of workers: each fault at a start may last as long as the
    /// start may take.
    func patience(with workers: FaultPlan) -> Duration {
        let faults = workers.faults.count { if case .launch = $0 { true } else { false } }
        return Self.basicPatience + (bootTimeout + Self.teardownTime) * faults
    }

    /// Measures how long workers of this program take to start.
    ///
    /// - Returns: The limit of opening as the time of a start if no worker serves within it.
    @MainActor static func measured() async -> ChaosPace {
        var slowest = Duration.zero
        for _ in 0..<measuredStarts {
            var configuration = CoordinatorConfiguration()
            configuration.logger.logLevel = .critical
            let start = ContinuousClock.now
            let time = try? await withCoordinator(
                hosting: ChaosFeature<FirstChaos>.self,
                configuration: configuration
            ) { coordinator in
                _ = try await coordinator.viewModel(ChaosFeature<FirstChaos>.self)
                return start.duration(to: .now)
            }
            slowest = max(slowest, time ?? configuration.openTimeout)
        }
        return ChaosPace(start: slowest)
    }
}
