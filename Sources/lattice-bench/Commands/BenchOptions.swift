import ArgumentParser
import LatticeCoordinator
import LatticeJobs
import LatticeToolSupport

/// The options of all benchmarks.
struct BenchOptions: ParsableArguments {
    @Flag(help: "Print each figure as a line of JSON when it is measured.")
    var json = false

    /// Runs a benchmark with a timeout and prints its results. A failure of the benchmark becomes exit code 1.
    @MainActor func run(
        within timeout: Duration = .seconds(120),
        _ bench: @escaping @MainActor (BenchReport) async throws -> Void
    ) async throws {
        let report = BenchReport(printsJSON: json)
        do {
            try await Deadline.run(within: timeout) { try await bench(report) }
        } catch {
            switch error {
            case is BenchError, is CoordinatorError, is JobError, is TemporaryFolder.Failure: break
            default: throw error
            }
            Console.say("lattice-bench: \(error)")
            throw ExitCode.failure
        }
        report.printTable()
    }
}

/// The options of a benchmark with several figures.
struct FigureOptions<Figure: ExpressibleByArgument & Equatable & Sendable>: ParsableArguments {
    @OptionGroup var common: BenchOptions

    @Option(help: "Measure only this figure. You can repeat the option.")
    var only: [Figure] = []

    @Option(help: "Run all processes with this instrument. You can repeat the option.")
    var instruments: [BenchInstruments] = []

    func measures(_ figure: Figure) -> Bool {
        only.isEmpty || only.contains(figure)
    }

    /// Runs a benchmark of processes with the instruments.
    @MainActor func run(
        within timeout: Duration = .seconds(120),
        _ bench: @escaping @MainActor (BenchReport) async throws -> Void
    ) async throws {
        BenchInstruments.use(instruments)
        try await common.run(within: timeout, bench)
    }
}

typealias ProcessBenchOptions = FigureOptions<BenchFigure>
typealias StateBenchOptions = FigureOptions<StateFigure>
typealias FaultBenchOptions = FigureOptions<FaultFigure>

extension ProcessBenchOptions {
    @MainActor func run(at side: BenchSide) async throws {
        try await run { report in
            if measures(.roundTrips) || measures(.events) {
                try await EchoBench(side: side, options: self).run(into: report)
            }
            if measures(.deliveries) {
                let source: FanOutBench.Source = side == .session ? .publisher : .viewModel
                try await FanOutBench(source: source).run(into: report)
            }
        }
    }
}

extension StateBenchOptions {
    @MainActor func run() async throws {
        try await run { report in
            // This runs first, because the memory that other measurements leave would count.
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
    /// The timeouts are high because the benchmark waits for incarnations and deaths, and measures many comparisons.
    private static let timeout: Duration = .seconds(480)
    private static let timeoutOfEach: Duration = .seconds(240)

    @MainActor func run() async throws {
        try await run(within: Self.timeout) { report in
            for figure in FaultFigure.allCases where measures(figure) {
                try await Deadline.run(within: Self.timeoutOfEach, waitingFor: "the figure \"\(figure.rawValue)\"") {
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
        case .crowd: try await CrowdBench().run(into: report)
        case .deadlines: try await DeadlineBench().run(into: report)
        }
    }
}

/// The layer at which the outcomes of events in another process are measured.
enum BenchSide {
    /// The session's channels, on the event loop's thread.
    case session
    /// A view model on the main actor.
    case viewModel
}

/// The figures of a benchmark of two processes.
enum BenchFigure: String, CaseIterable, ExpressibleByArgument {
    case roundTrips = "round-trips"
    case events
    case deliveries
}

/// The figures of the benchmark of states.
enum StateFigure: String, CaseIterable, ExpressibleByArgument {
    case empty, keyed, array, restore, cards, cancel, memory
}

/// The figures of the benchmark of faults.
enum FaultFigure: String, CaseIterable, ExpressibleByArgument {
    case deaths, hangs, neighbours, flood, stopped, coordinator, workers, crowd, deadlines
}
