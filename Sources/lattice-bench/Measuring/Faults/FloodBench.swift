import LatticeCoordinator
import LatticeCore
import LatticeToolSupport

/// Measures round trips of one client while another one floods the same state of the same worker with events. Each
/// client has its own process.
@MainActor struct FloodBench {
    /// The number of events that the flooding client has in flight. This is a quarter of the default maximum for a
    /// client.
    private static let window = 4096

    func run(into report: BenchReport) async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/bench.sock"
            try await withCoordinator(
                hosting: FaultyFeature.self,
                listeningAt: path,
                configuration: .bench
            ) { coordinator in
                let state = try await coordinator.viewModel(FaultyFeature.self)
                try await ClientProcesses<RivalFeature>.with(2) { rivals in
                    for rival in rivals { try await rival.answer(.connect(path: path)) }
                    try await compare(rivals[0], flooding: rivals[1], state, into: report)
                }
            }
        }
    }

    private func compare(
        _ rival: ViewModel<RivalFeature>,
        flooding other: ViewModel<RivalFeature>,
        _ state: ViewModel<FaultyFeature>,
        into report: BenchReport
    ) async throws {
        var rates: [Double] = []
        let comparison = try await Comparison.measuring(BenchScale.comparisons) {
            let flood = other.sendViewEvent(.flood(window: Self.window))
            let (before, start) = (state.sum, SuspendingClock.now)
            let times = try await measure(rival)
            rates.append(Double(state.sum - before) / (start.duration(to: .now) / .seconds(1)))
            flood.cancel()
            let outcome = await flood.finish()
            guard outcome == .cancelled else {
                throw BenchError("a flood should last until it is cancelled, but its outcome is: \(outcome)")
            }
            return times
        } reference: {
            try await measure(rival)
        }
        report.add(
            comparison: "round trip of a client beside a flooding one, compared with none",
            comparison,
            key: "beside_flood"
        )
        report.add(
            figure: "events per second of both clients during a flood",
            rates.median,
            decimals: 0,
            key: "flood_per_s"
        )
    }

    private func measure(_ rival: ViewModel<RivalFeature>) async throws -> Comparison.Times {
        try await rival.answer(.measure(milliseconds: Int(BenchScale.comparisonTime / .milliseconds(1))))
    }
}
