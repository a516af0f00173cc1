import ArgumentParser
import LatticeCoordinator

/// What all benchmarks have in common.
struct BenchOptions: ParsableArguments {
    @Flag(help: "Print each figure as a JSON object on a line of its own, as it is measured.")
    var json = false

    /// Runs a benchmark within its time, prints what it measured, and turns its failure into exit 1.
    @MainActor func run(_ bench: @escaping @MainActor (BenchReport) async throws -> Void) async throws {
        let report = BenchReport(printsJSON: json)
        do {
            try await Deadline.run(within: .seconds(120)) { try await bench(report) }
        } catch {
            guard error is BenchError || error is CoordinatorError else { throw error }
            Console.say("latticectl bench: \(error)")
            throw ExitCode.failure
        }
        report.printTable()
    }
}

/// What the benchmarks over two processes have in common.
struct ProcessBenchOptions: ParsableArguments {
    @OptionGroup var common: BenchOptions

    @Option(help: "Measure only this; may be repeated.")
    var only: [BenchFigure] = []

    func measures(_ figure: BenchFigure) -> Bool {
        only.isEmpty || only.contains(figure)
    }

    @MainActor func run(at side: BenchSide) async throws {
        try await common.run { report in
            if measures(.roundTrips) || measures(.events) {
                try await EchoBench(side: side, options: self).run(into: report)
            }
            if measures(.deliveries) { try await FanOutBench(side: side).run(into: report) }
        }
    }
}

/// Where it is measured what becomes of events in another process.
enum BenchSide {
    /// At the session's channels, on the event loop's thread.
    case session
    /// At a view model on the main actor.
    case viewModel
}

/// What a benchmark over two processes can measure.
enum BenchFigure: String, CaseIterable, ExpressibleByArgument {
    case roundTrips = "round-trips"
    case events
    case deliveries
}
