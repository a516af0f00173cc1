import ArgumentParser

/// `latticectl bench session`.
struct BenchSessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Across two processes, as the session sees it: no view model, no main actor."
    )

    @OptionGroup var options: BenchOptions

    @MainActor func run() async throws {
        try await options.run { report in
            if options.measures(.roundTrips) || options.measures(.events) {
                try await BenchCoordinator.run { coordinator in
                    try await SessionEchoBench(coordinator, options).run(into: report)
                }
            }
            guard options.measures(.deliveries) else { return }
            try await FanOutBench(.coordinator).run(into: report)
        }
    }
}
