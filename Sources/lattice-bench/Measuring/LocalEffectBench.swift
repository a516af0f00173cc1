import LatticeCore

/// Measures effects: one after the other, cancelled, many at once, and one that emits many actions.
@MainActor struct LocalEffectBench {
    private let viewModel = ViewModel(initialDomainState: .init(), feature: LocalFeature.feature)

    func run(into report: BenchReport) async throws {
        try await measureOne(BenchScale.warmUp)
        report.add(times: "effect, send to finished", try await measureOne(BenchScale.roundTrips), key: "local_effect")
        try await measureCancelling(BenchScale.warmUp)
        let cancelling = try await measureCancelling(BenchScale.warmUp)
        report.add(times: "cancel, to the end of the effect", cancelling, key: "local_cancel")
        let many = BenchScale.effectsAtOnce
        try await measureMany(BenchScale.warmUp)
        let together = try await measureMany(many)
        report.add(rate: "effects, \(many) at once", count: many, in: together, key: "local_effects_per_s")
        let elements = BenchScale.observedElements
        try await measureObserve(BenchScale.warmUp)
        let observing = try await measureObserve(elements)
        let name = "elements of an observe of \(elements)"
        report.add(rate: name, count: elements, in: observing, key: "local_observe_per_s")
    }

    @discardableResult
    private func measureOne(_ count: Int) async throws -> Latencies {
        var latencies = Latencies()
        for number in 1...count {
            let start = SuspendingClock.now
            let outcome = await viewModel.sendViewEvent(.load(number)).finish()
            latencies.record(start.duration(to: .now))
            try BenchError.check(outcome, of: "effect \(number)")
            try BenchError.check(viewModel.count, is: number)
        }
        return latencies
    }

    /// Measures the time from `cancel` to the last step of a closure that reacts to it.
    @discardableResult
    private func measureCancelling(_ count: Int) async throws -> Latencies {
        var latencies = Latencies()
        for number in 1...count {
            let (running, ended) = (Latch(of: 2), Latch(of: 2))
            let task = viewModel.sendViewEvent(.hold(running: running, ended: ended))
            await running.arrive()
            let start = SuspendingClock.now
            task.cancel()
            await ended.arrive()
            latencies.record(start.duration(to: .now))
            let outcome = await task.finish()
            guard outcome == .cancelled else { throw BenchError("effect \(number) ended \(outcome), not cancelled") }
        }
        return latencies
    }

    /// Measures many effects at once, from the first send to the last end. No effect ends before all are running.
    @discardableResult
    private func measureMany(_ count: Int) async throws -> Duration {
        let before = viewModel.count
        let latch = Latch(of: count)
        let start = SuspendingClock.now
        let tasks = (0..<count).map { _ in viewModel.sendViewEvent(.meet(latch)) }
        for (number, task) in tasks.enumerated() {
            try BenchError.check(await task.finish(), of: "effect \(number) of \(count) at once")
        }
        let duration = start.duration(to: .now)
        try BenchError.check(viewModel.count, is: before + count)
        return duration
    }

    /// Measures a stream of actions. Each element has its own turn, and the stream waits for it.
    @discardableResult
    private func measureObserve(_ count: Int) async throws -> Duration {
        let start = SuspendingClock.now
        try BenchError.check(await viewModel.sendViewEvent(.observe(count)).finish(), of: "the observe")
        let duration = start.duration(to: .now)
        try BenchError.check(viewModel.count, is: count)
        return duration
    }
}
