import LatticeCore

/// Sends that change one element of a large array.
@MainActor struct LargeStateBench {
    private let scale = BenchScale.ofEnvironment
    private let clock = SuspendingClock()
    private let viewModel = ViewModel(initialDomainState: .init(), feature: LargeFeature.feature)

    func run(into report: BenchReport) throws {
        try send(scale.warmUp)
        let before = viewModel.moves
        let latencies = try send(scale.roundTrips)
        report.add(times: "send, 1 of \(LargeFeature.elements) elements changed", latencies, key: "local_large_state")
        report.add(
            figure: "copies of \(LargeFeature.elements) elements in \(scale.roundTrips) sends",
            Double(viewModel.moves - before),
            decimals: 0,
            key: "local_large_state_copies"
        )
    }

    /// Times of single sends: those that copy the array are not hidden in an average.
    @discardableResult
    private func send(_ count: Int) throws -> Latencies {
        var latencies = Latencies()
        for number in 1...count {
            if number.isMultiple(of: SendRounds.sendsAtOnce) { try Task.checkCancellation() }
            let start = clock.now
            viewModel.sendViewEvent(.init(index: number % LargeFeature.elements, value: number))
            latencies.record(start.duration(to: clock.now))
            guard viewModel.last == number else {
                throw BenchError("the view state shows \(viewModel.last) instead of \(number)")
            }
        }
        return latencies
    }
}
