import LatticeCoding
import LatticeCoordinator
import LatticeCore

/// What a state of 10 MB takes in worker and coordinator together, beside what the value takes by itself, and whether
/// that grows.
@MainActor struct MemoryBench {
    func run(into report: BenchReport) async throws {
        let empty = try ProcessFigures.own.residentBytes()
        // Kept, so that nothing is made out of its memory.
        let state = KeyedState(.hidden)
        let own = try ProcessFigures.own.residentBytes() - empty
        try await withCoordinator(hosting: KeyedFeature.self, configuration: .keyed) { coordinator in
            let empty = try await KeyedDriver(.empty, in: coordinator)
            try await Rounds.run(BenchScale.warmUp) { _ in try await empty.change() }
            let before = try resident(empty)
            let driver = try await KeyedDriver(.hidden, in: coordinator)
            try await Rounds.run(BenchScale.warmUp) { _ in try await driver.change() }
            // What was needed to send it is given back after a second.
            try await Task.sleep(for: .milliseconds(1500))
            let first = try resident(driver)
            report.add(
                figure: "memory over that of the value alone, \(own) bytes",
                Double(first - before) / Double(own),
                decimals: 2,
                key: "memory_over_value"
            )
            let count = try await changeMany(driver.viewModel)
            let growth = Double(try resident(driver) - first)
            report.add(figure: "bytes more after \(count) changes", growth, decimals: 0, key: "memory_growth_bytes")
            let size = try CBOREncoder().encode(state).count
            report.add(
                figure: "memory over \(size) encoded bytes",
                Double(first - before) / Double(size),
                decimals: 2,
                key: "memory_ratio"
            )
        }
    }

    /// Of both processes.
    private func resident(_ driver: KeyedDriver) throws -> Int {
        try ProcessFigures.own.residentBytes() + driver.worker.residentBytes()
    }

    /// - Returns: How many changes there were.
    private func changeMany(_ viewModel: ViewModel<KeyedFeature>) async throws -> Int {
        let rounds = BenchScale.manyChanges / BenchScale.window
        let count = try await Rounds.run(max(1, rounds)) { _ in
            let first = viewModel.viewState.newest
            let events = (1...BenchScale.window).map { viewModel.sendViewEvent(first + $0) }
            for event in events { try BenchError.check(await event.finish(), of: "a change") }
            try BenchError.check(viewModel.viewState.newest, is: first + BenchScale.window)
        }.count
        return count * BenchScale.window
    }
}
