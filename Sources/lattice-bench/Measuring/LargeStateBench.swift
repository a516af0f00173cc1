import LatticeCore

/// Measures sends that change one element of a large array, or none.
@MainActor struct LargeStateBench {
    private let viewModel = ViewModel(initialDomainState: .init(), feature: LargeFeature.feature)
    private let shown = ViewModel(
        initialDomainState: Array(0..<LargeFeature.shownElements),
        feature: LargeFeature.shownAsItIs
    )

    func run(into report: BenchReport) throws {
        try send(BenchScale.warmUp)
        let before = viewModel.moves
        let latencies = try send(BenchScale.roundTrips)
        report.add(times: "send, 1 of \(LargeFeature.elements) elements changed", latencies, key: "local_large_state")
        report.add(
            figure: "copies of \(LargeFeature.elements) elements in \(BenchScale.roundTrips) sends",
            Double(viewModel.moves - before),
            decimals: 0,
            key: "local_large_state_copies"
        )
        try SendRounds.time(BenchScale.warmUp, sendUnchanged)
        let unchanged = try SendRounds.time(BenchScale.roundTrips, sendUnchanged)
        report.add(times: "send, 10 MB shown, none of it changed", unchanged, key: "local_shown_unchanged")
        // Each send copies the whole array, because the view state keeps the old one.
        let changed = try sendChanged(max(1, BenchScale.warmUp / 20))
        report.add(times: "send, 10 MB shown, 1 element changed", changed, key: "local_shown_changed")
    }

    private func sendUnchanged(_ count: Int) throws {
        let before = place
        for _ in 0..<count { shown.sendViewEvent(nil) }
        guard place == before else { throw BenchError("a send that changes nothing has copied the view state") }
    }

    private func sendChanged(_ count: Int) throws -> Latencies {
        var latencies = Latencies()
        for number in 1...count {
            try Task.checkCancellation()
            let start = SuspendingClock.now
            shown.sendViewEvent(.init(index: LargeFeature.shownElements - 1, value: -number))
            latencies.record(start.duration(to: .now))
            guard shown.viewState.last == -number else {
                throw BenchError("the last element of the view state is not \(-number)")
            }
        }
        return latencies
    }

    /// The address of the shown elements.
    private var place: Int { shown.viewState.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) } }

    /// Measures single sends. An average would hide the sends that copy the array.
    @discardableResult
    private func send(_ count: Int) throws -> Latencies {
        var latencies = Latencies()
        for number in 1...count {
            if number.isMultiple(of: SendRounds.sendsAtOnce) { try Task.checkCancellation() }
            let start = SuspendingClock.now
            viewModel.sendViewEvent(.init(index: number % LargeFeature.elements, value: number))
            latencies.record(start.duration(to: .now))
            try BenchError.check(viewModel.last, is: number)
        }
        return latencies
    }
}
