import LatticeCore

/// In this process, on the main actor.
@MainActor struct LocalBench {
    /// One send is too short for the clock, so this many are timed together.
    private static let sendsAtOnce = 1000

    private let scale = BenchScale.ofEnvironment
    private let clock = SuspendingClock()
    private let viewModel = ViewModel(initialDomainState: .init(), feature: LocalFeature.feature)

    func run(into report: BenchReport) async throws {
        try await measureSends(scale.warmUp / Self.sendsAtOnce + 1)
        report.add(
            times: "send, view state updated",
            try await measureSends(max(1, scale.events * 5 / Self.sendsAtOnce)),
            key: "local_send"
        )
        try await measureEffects(scale.warmUp)
        report.add(times: "effect, send to finished", try await measureEffects(scale.roundTrips), key: "local_effect")
    }

    /// Times of single sends, each the average of `sendsAtOnce`.
    @discardableResult
    private func measureSends(_ rounds: Int) async throws -> Latencies {
        var latencies = Latencies()
        for _ in 0..<rounds {
            try Task.checkCancellation()
            let before = viewModel.viewState.count
            let start = clock.now
            for sent in 1...Self.sendsAtOnce {
                viewModel.sendViewEvent(.add)
                guard viewModel.viewState.count == before + sent else {
                    throw BenchError("the view state shows \(viewModel.viewState.count) instead of \(before + sent)")
                }
            }
            latencies.record(start.duration(to: clock.now), dividedBy: Self.sendsAtOnce)
        }
        return latencies
    }

    @discardableResult
    private func measureEffects(_ count: Int) async throws -> Latencies {
        var latencies = Latencies()
        for number in 1...count {
            let start = clock.now
            let outcome = await viewModel.sendViewEvent(.load(number)).finish()
            latencies.record(start.duration(to: clock.now))
            try BenchError.check(outcome, of: "effect \(number)")
            guard viewModel.viewState.count == number else {
                throw BenchError("the view state shows \(viewModel.viewState.count) instead of \(number)")
            }
        }
        return latencies
    }
}
