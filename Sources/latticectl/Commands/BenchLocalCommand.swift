import ArgumentParser

/// `latticectl bench local`.
struct BenchLocalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "local",
        abstract: "In this process: what sends and effects cost, and what they allocate.",
        discussion: """
            From the bare call of an interactor to a send with its view state updated, an observer told, a child three \
            scopes down, and one element of a large array changed; effects one after the other, many at once, and one \
            that emits many actions. Every result is checked, and that many sends leave nothing in memory.

            Allocations are those of the thread that sends, and are counted where the C library is glibc.
            """
    )

    @OptionGroup var options: BenchOptions

    @MainActor func run() async throws {
        try await options.run { report in
            try await LocalBench.run(into: report)
        }
    }
}

/// In this process, on the main actor.
@MainActor enum LocalBench {
    static func run(into report: BenchReport) async throws {
        try LocalSendBench().run(into: report)
        try NestedSendBench().run(into: report)
        try LargeStateBench().run(into: report)
        try await LocalEffectBench().run(into: report)
    }
}
