import ArgumentParser
import LatticeCoordinator

/// What all benchmarks have in common.
struct BenchOptions: ParsableArguments {
    @Flag(help: "Print each figure as a JSON object on a line of its own, as it is measured.")
    var json = false

    @Option(help: "Measure only this; may be repeated.")
    var only: [BenchFigure] = []

    func measures(_ figure: BenchFigure) -> Bool {
        only.isEmpty || only.contains(figure)
    }

    /// Runs a benchmark within its time, prints what it measured, and turns its failure into exit 1.
    @MainActor func run(_ bench: @escaping @MainActor (BenchReport) async throws -> Void) async throws {
        let report = BenchReport(printsJSON: json)
        do {
            try await Deadline.run(within: .seconds(120)) { try await bench(report) }
        } catch let error as BenchError {
            Console.say("latticectl bench: \(error)")
            throw ExitCode.failure
        } catch let error as CoordinatorError {
            Console.say("latticectl bench: \(error)")
            throw ExitCode.failure
        }
        report.printTable()
    }
}

/// What a benchmark over two processes can measure.
enum BenchFigure: String, CaseIterable, ExpressibleByArgument {
    case roundTrips = "round-trips"
    case events
    case deliveries
}
