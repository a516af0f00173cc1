import LatticeCoordinator
import LatticeCore

/// Measures the change of one element of a plain array of 10 MB.
@MainActor struct ArrayBench {
    func run(into report: BenchReport) async throws {
        try await withCoordinator(hosting: ArrayFeature.self, configuration: .bench) { coordinator in
            let viewModel = try await coordinator.viewModel(ArrayFeature.self)
            @MainActor func change() async throws {
                let number = viewModel.viewState.number + 1
                try BenchError.check(await viewModel.sendViewEvent(number).finish(), of: "change \(number)")
                try BenchError.check(viewModel.viewState.number, is: number)
            }
            try await Rounds.run(BenchScale.warmUp / 10) { _ in try await change() }
            let latencies = try await Rounds.run(BenchScale.changes) { _ in try await change() }.latencies
            report.add(times: "1 of 100000 in a plain array", latencies, key: "array")
        }
    }
}
