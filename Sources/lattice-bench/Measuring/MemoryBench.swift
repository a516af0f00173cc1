import LatticeCoding
import LatticeCoordinator
import LatticeCore

/// Measures the memory that a state of 10 MB takes in the worker and the coordinator together, compared with the value
/// alone, and whether it grows.
@MainActor struct MemoryBench {
    func run(into report: BenchReport) async throws {
        let empty = try ProcessFigures.own.residentBytes()
        // The value is kept, so that its memory is not reused by later allocations.
        let state = KeyedState(.hidden)
        let own = try ProcessFigures.own.residentBytes() - empty
        try await withCoordinator(hosting: KeyedFeature.self, configuration: .keyed) { coordinator in
            let empty = try await KeyedDriver(.empty, in: coordinator)
            try await Rounds.run(BenchScale.warmUp) { _ in try await empty.change() }
            let before = try resident(empty)
            let driver = try await KeyedDriver(.hidden, in: coordinator)
            try await Rounds.run(BenchScale.warmUp) { _ in try await driver.change() }
            // Buffers for sending are released after a second.
            try await Task.sleep(for: .milliseconds(1500))
            let first = try resident(driver)
            report.add(
                figure: "memory, times the value alone of \(own) bytes",
                Double(first - before) / Double(own),
                decimals: 2,
                key: "memory_over_value"
            )
            let count = try await changeMany(driver.viewModel)
            let growth = Double(try resident(driver) - first)
            report.add(
                figure: "bytes of growth after \(count) changes",
                growth,
                decimals: 0,
                key: "memory_growth_bytes"
            )
            let size = try CBOREncoder().encode(state).count
            report.add(
                figure: "memory, times its \(size) encoded bytes",
                Double(first - before) / Double(size),
                decimals: 2,
                key: "memory_ratio"
            )
        }
    }

    /// Returns the resident memory of both processes in bytes.
    private func resident(_ driver: KeyedDriver) throws -> Int {
        try ProcessFigures.own.residentBytes() + driver.worker.residentBytes()
    }

    /// Makes many changes.
    ///
    /// - Returns: The number of changes.
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
