import ArgumentParser

/// `latticectl bench local`.
struct BenchLocalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "local",
        abstract: "In this process: a send with its view state updated, and an effect from send to finished."
    )

    @OptionGroup var options: BenchOptions

    @MainActor func run() async throws {
        try await options.run { report in
            try await LocalBench().run(into: report)
        }
    }
}
