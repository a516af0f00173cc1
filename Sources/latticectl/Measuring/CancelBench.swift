import LatticeCoordinator
import LatticeCore

/// A client cancels effects while a view state of 50 MB is on its way to it over the same connection.
@MainActor struct CancelBench {
    func run(into report: BenchReport) async throws {
        try await BenchFolder.with { folder in
            let path = "\(folder)/bench.sock"
            try await withCoordinator(
                hosting: KeyedFeature.self,
                HoldFeature.self,
                listeningAt: path,
                configuration: .keyed
            ) { coordinator in
                // There before a client asks for it.
                _ = try await KeyedDriver(.snapshot, in: coordinator)
                let times = try await ObserverProcesses.with(1) { observers in
                    try await observers[0].answer(.cancelWhileOpening(path: path, rounds: BenchScale.snapshots))
                }
                var latencies = Latencies()
                for time in times { latencies.record(.nanoseconds(Int64(time))) }
                report.add(times: "cancel, 50 MB on the way", latencies, key: "cancel")
            }
        }
    }
}
