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
            try await BenchCoordinator.run { coordinator in
                try await ViewModelEchoBench(coordinator).run(into: report)
            }
            try await FanOutBench(.viewModel).run(into: report)
        }
    }
}
