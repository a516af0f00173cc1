import ArgumentParser

/// `latticectl bench view-model`.
struct BenchViewModelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "view-model",
        abstract: "Across two processes, as a view model on the main actor sees it."
    )

    @OptionGroup var options: BenchOptions

    @MainActor func run() async throws {
        try await options.run { report in
            if options.measures(.roundTrips) || options.measures(.events) {
                try await BenchCoordinator.run { coordinator in
                    try await ViewModelEchoBench(coordinator, options).run(into: report)
                }
            }
            guard options.measures(.deliveries) else { return }
            try await FanOutBench(.viewModel).run(into: report)
        }
    }
}
