import LatticeCore

/// Keeps a number of events of a view model in flight, and checks the outcome and the state of each.
@MainActor final class ViewModelEchoDriver {
    private let viewModel: ViewModel<EchoFeature>
    private var next = NumberedBytes.firstNumber

    init(_ viewModel: ViewModel<EchoFeature>) {
        self.viewModel = viewModel
    }

    /// Sends events with at most `window` of them in flight, and returns when all have ended.
    func run(_ count: Int, window: Int) async throws -> EchoBench.Figures {
        var result = EchoBench.Figures()
        let (first, start) = (next, SuspendingClock.now)
        var time = start
        // A slot becomes free when its event has ended.
        var slots: [EventTask] = []
        for index in 0..<count + window {
            let slot = index % window
            if index >= window {
                let outcome = await slots[slot].finish()
                // The time is only read if one event follows the other.
                if window == 1 { result.latencies.record(time.duration(to: .now)) }
                try check(outcome, first + index - window)
                if window == 1 { try BenchError.check(viewModel.viewState.number, is: next - 1) }
            }
            guard index < count else { continue }
            if window == 1 { time = .now }
            let task = viewModel.sendViewEvent(EchoFeature.action(next))
            next += 1
            if index < window { slots.append(task) } else { slots[slot] = task }
        }
        guard viewModel.viewState.number == next - 1 else {
            throw BenchError("the view state shows \(viewModel.viewState.number) instead of \(next - 1) at the end")
        }
        result.duration = start.duration(to: .now)
        return result
    }

    private func check(_ outcome: EventOutcome, _ number: Int) throws(BenchError) {
        try BenchError.check(outcome, of: "event \(number)")
        let state = viewModel.viewState
        guard state.number >= number, state.gaps == 0, state.payload.count == EchoState().payload.count else {
            throw BenchError("event \(number) ended, but the state shows \(state)")
        }
    }
}
