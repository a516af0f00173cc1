import Glibc
import LatticeCoordinator
import LatticeCore

/// Kills a worker with a state of 50 MB, and measures how long it takes until another one has served an event.
@MainActor struct RestoreBench {
    private static let kills = 5

    func run(into report: BenchReport) async throws {
        var configuration = CoordinatorConfiguration.keyed.survivingDeaths
        configuration.restart.initialDelay = .zero
        try await withCoordinator(hosting: KeyedFeature.self, configuration: configuration) { coordinator in
            let driver = try await KeyedDriver(.restored, in: coordinator)
            try await driver.change()
            var times: [Double] = []
            for _ in 0..<Self.kills {
                let worker = try driver.worker.processID
                let start = SuspendingClock.now
                kill(worker, SIGKILL)
                try await driver.change()
                times.append(start.duration(to: .now) / .milliseconds(1))
                guard try driver.worker.processID != worker else { throw BenchError("the worker has not died") }
            }
            report.add(figure: "ms from kill to served, 50 MB", times.median, decimals: 1, key: "restore_50mb_ms")
        }
    }
}
