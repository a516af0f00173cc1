import ArgumentParser
import LatticeCoordinator

/// What all benchmarks have in common.
struct BenchOptions: ParsableArguments {
    @Flag(help: "Print each figure as a JSON object on a line of its own, as it is measured.")
    var json = false

    /// Runs a benchmark within its time, prints what it measured, and turns its failure into exit 1.
    @MainActor func run(
        within limit: Duration = .seconds(120),
        _ bench: @escaping @MainActor (BenchReport) async throws -> Void
    ) async throws {
        let report = BenchReport(printsJSON: json)
        do {
            try await Deadline.run(within: limit) { try await bench(report) }
        } catch {
            guard error is BenchError || error is CoordinatorError else { throw error }
            Console.say("latticectl bench: \(error)")
            throw ExitCode.failure
        }
        report.printTable()
    }
}

/// What a benchmark has to choose that measures several things.
struct FigureOptions<Figure: ExpressibleByArgument & Equatable & Sendable>: ParsableArguments {
    @OptionGroup var common: BenchOptions

    @Option(help: "Measure only this; may be repeated.")
    var only: [Figure] = []

    func measures(_ figure: Figure) -> Bool {
        only.isEmpty || only.contains(figure)
    }
}

typealias ProcessBenchOptions = FigureOptions<BenchFigure>
typealias StateBenchOptions = FigureOptions<StateFigure>
typealias FaultBenchOptions = FigureOptions<FaultFigure>

extension ProcessBenchOptions {
    @MainActor func run(at side: BenchSide) async throws {
        try await common.run { report in
            if measures(.roundTrips) || measures(.events) {
                try await EchoBench(side: side, options: self).run(into: report)
            }
            if measures(.deliveries) { try await FanOutBench(side: side).run(into: report) }
        }
    }
}

extension StateBenchOptions {
    @MainActor func run() async throws {
        try await common.run { report in
            // The first: what others leave behind would count.
            if measures(.memory) { try await MemoryBench().run(into: report) }
            if measures(.empty) || measures(.keyed) { try await KeyedBench(options: self).run(into: report) }
            if measures(.array) { try await ArrayBench().run(into: report) }
            if measures(.restore) { try await RestoreBench().run(into: report) }
            if measures(.cards) { try await CardsBench().run(into: report) }
            if measures(.cancel) { try await CancelBench().run(into: report) }
        }
    }
}

extension FaultBenchOptions {
    /// There is much to wait for: lives, deaths, and what is measured side by side.
    private static let limit: Duration = .seconds(480)
    private static let limitOfEach: Duration = .seconds(240)

    @MainActor func run() async throws {
        try await common.run(within: Self.limit) { report in
            for figure in FaultFigure.allCases where measures(figure) {
                try await Deadline.run(within: Self.limitOfEach, waitingFor: "the figure \"\(figure.rawValue)\"") {
                    try await measure(figure, into: report)
                }
            }
        }
    }

    @MainActor private func measure(_ figure: FaultFigure, into report: BenchReport) async throws {
        switch figure {
        case .deaths: try await DeathBench().run(into: report)
        case .hangs: try await HangBench().run(into: report)
        case .neighbours: try await NeighbourBench().run(into: report)
        case .flood: try await FloodBench().run(into: report)
        case .stopped: try await StoppedClientBench().run(into: report)
        case .coordinator: try await CoordinatorDeathBench().run(into: report)
        case .workers: try await ManyWorkersBench().run(into: report)
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

/// What the benchmark of states can measure.
enum StateFigure: String, CaseIterable, ExpressibleByArgument {
    case empty, keyed, array, restore, cards, cancel, memory
}

/// What the benchmark of faults can measure.
enum FaultFigure: String, CaseIterable, ExpressibleByArgument {
    case deaths, hangs, neighbours, flood, stopped, coordinator, workers
}
