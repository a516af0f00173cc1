import LatticeCore

/// Effects: one after the other, cancelled, many at once, and one that emits many actions.
@MainActor struct LocalEffectBench {
    private let scale = BenchScale.ofEnvironment
    private let clock = SuspendingClock()
    private let viewModel = ViewModel(initialDomainState: .init(), feature: LocalFeature.feature)

    func run(into report: BenchReport) async throws {
        try await measureOne(scale.warmUp)
        report.add(times: "effect, send to finished", try await measureOne(scale.roundTrips), key: "local_effect")
        try await measureCancelling(scale.warmUp)
        report.add(
            times: "cancel, to the end of the effect",
            try await measureCancelling(scale.warmUp),
            key: "local_cancel"
        )
        let many = scale.effectsAtOnce
        try await measureMany(scale.warmUp)
        report.add(
            rate: "effects, \(many) at once",
            count: many,
            in: try await measureMany(many),
            key: "local_effects_per_s"
        )
        let elements = scale.observedElements
        try await measureObserve(scale.warmUp)
        report.add(
            rate: "elements of an observe of \(elements)",
            count: elements,
            in: try await measureObserve(elements),
            key: "local_observe_per_s"
        )
    }

    @discardableResult
    private func measureOne(_ count: Int) async throws -> Latencies {
        var latencies = Latencies()
        for number in 1...count {
            let start = clock.now
            let outcome = await viewModel.sendViewEvent(.load(number)).finish()
            latencies.record(start.duration(to: clock.now))
            try BenchError.check(outcome, of: "effect \(number)")
            try check(number)
        }
        return latencies
    }

    /// From `cancel` to the last step of a closure that listens to it.
    @discardableResult
    private func measureCancelling(_ count: Int) async throws -> Latencies {
        var latencies = Latencies()
        for number in 1...count {
            let (running, ended) = (Latch(of: 2), Latch(of: 2))
            let task = viewModel.sendViewEvent(.hold(running: running, ended: ended))
            await running.arrive()
            let start = clock.now
            task.cancel()
            await ended.arrive()
            latencies.record(start.duration(to: clock.now))
            let outcome = await task.finish()
            guard outcome == .cancelled else { throw BenchError("effect \(number) ended \(outcome), not cancelled") }
        }
        return latencies
    }

    /// From the first send to the last end; none ends before all are at work.
    @discardableResult
    private func measureMany(_ count: Int) async throws -> Duration {
        let before = viewModel.count
        let latch = Latch(of: count)
        let start = clock.now
        let tasks = (0..<count).map { _ in viewModel.sendViewEvent(.meet(latch)) }
        for (number, task) in tasks.enumerated() {
            try BenchError.check(await task.finish(), of: "effect \(number) of \(count) at once")
        }
        let duration = start.duration(to: clock.now)
        try check(before + count)
        return duration
    }

    /// Each element is an action with a turn of its own, and the stream waits for it.
    @discardableResult
    private func measureObserve(_ count: Int) async throws -> Duration {
        let start = clock.now
        try BenchError.check(await viewModel.sendViewEvent(.observe(count)).finish(), of: "the observe")
        let duration = start.duration(to: clock.now)
        try check(count)
        return duration
    }

    private func check(_ expected: Int) throws(BenchError) {
        guard viewModel.count == expected else {
            throw BenchError("the view state shows \(viewModel.count) instead of \(expected)")
        }
    }
}
