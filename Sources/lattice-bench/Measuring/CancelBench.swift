import LatticeCoordinator
import LatticeCore
import LatticeToolSupport

/// Measures how long a client takes to cancel effects while it receives a view state of 50 MB over the same connection.
@MainActor struct CancelBench {
    func run(into report: BenchReport) async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/bench.sock"
            try await withCoordinator(
                hosting: KeyedFeature.self,
                HoldFeature.self,
                listeningAt: path,
                configuration: .keyed
            ) { coordinator in
                // The feature is opened before a client requests it.
                _ = try await KeyedDriver(.snapshot, in: coordinator)
                let times = try await ObserverProcesses.with(1) { observers in
                    try await observers[0].answer(.cancelWhileOpening(path: path, rounds: BenchScale.snapshots))
                }
                var latencies = Latencies()
                for time in times { latencies.record(.nanoseconds(Int64(time))) }
                report.add(times: "cancel while 50 MB are in transit", latencies, key: "cancel")
            }
        }
    }
}
