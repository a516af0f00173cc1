/// In this process, on the main actor.
@MainActor enum LocalBench {
    static func run(into report: BenchReport) async throws {
        try LocalSendBench().run(into: report)
        try NestedSendBench().run(into: report)
        try LargeStateBench().run(into: report)
        try await LocalEffectBench().run(into: report)
    }
}
