import LatticeCoordinator
import LatticeCore

/// Events of a view model on the main actor, applied in a worker.
@MainActor final class ViewModelEchoBench {
    private let coordinator: Coordinator
    private let options: BenchOptions
    private let scale = BenchScale.ofEnvironment
    private let clock = SuspendingClock()
    private var next = EchoAction.firstNumber

    init(_ coordinator: Coordinator, _ options: BenchOptions) {
        self.coordinator = coordinator
        self.options = options
    }

    func run(into report: BenchReport) async throws {
        try EchoFeature.checkSizes(upTo: scale.roundTrips + scale.events + 2 * scale.warmUp)
        let viewModel = try await coordinator.viewModel(EchoFeature.self)
        if options.measures(.roundTrips) {
            try await makeRoundTrips(scale.warmUp, viewModel)
            report.add(times: "round trip", try await makeRoundTrips(scale.roundTrips, viewModel), key: "rtt")
        }
        guard options.measures(.events) else { return }
        try await sendInARow(scale.warmUp, viewModel)
        let start = clock.now
        try await sendInARow(scale.events, viewModel)
        report.add(
            rate: "events",
            count: scale.events,
            in: start.duration(to: clock.now),
            key: "throughput_per_s"
        )
    }

    @discardableResult
    private func makeRoundTrips(_ count: Int, _ viewModel: ViewModel<EchoFeature>) async throws -> Latencies {
        var latencies = Latencies()
        for _ in 0..<count {
            let start = clock.now
            let outcome = await viewModel.sendViewEvent(EchoAction(number: next)).finish()
            latencies.record(start.duration(to: clock.now))
            try check(outcome, next, in: viewModel.viewState)
            guard viewModel.viewState.number == next else {
                throw BenchError("the view state shows \(viewModel.viewState.number) instead of \(next)")
            }
            next += 1
        }
        return latencies
    }

    /// Keeps the window full: a slot is free again when its event has ended.
    private func sendInARow(_ count: Int, _ viewModel: ViewModel<EchoFeature>) async throws {
        let first = next
        var window: [EventTask] = []
        for index in 0..<count + scale.window {
            let slot = index % scale.window
            if index >= scale.window, index - scale.window < count {
                try check(await window[slot].finish(), first + index - scale.window, in: viewModel.viewState)
            }
            guard index < count else { continue }
            let task = viewModel.sendViewEvent(EchoAction(number: next))
            next += 1
            if index < scale.window { window.append(task) } else { window[slot] = task }
        }
        guard viewModel.viewState.number == next - 1 else {
            throw BenchError("the view state shows \(viewModel.viewState.number) instead of \(next - 1) at the end")
        }
    }

    private func check(_ outcome: EventOutcome, _ number: Int, in state: EchoState) throws(BenchError) {
        try BenchError.check(outcome, of: "event \(number)")
        guard state.number >= number, state.gaps == 0, state.payload.count == EchoState().payload.count else {
            throw BenchError("event \(number) ended, but the state shows \(state)")
        }
    }
}
