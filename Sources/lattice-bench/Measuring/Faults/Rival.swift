import LatticeClient
import LatticeCore

/// One of several clients that change the same state.
@MainActor final class Rival {
    private var client: Client?
    private var viewModel: ViewModel<FaultyFeature>?

    nonisolated init() {}

    func connect(_ path: String) async throws {
        let client = try Client(connectingTo: path, configuration: .bench)
        try await client.connect()
        viewModel = try await client.viewModel(FaultyFeature.self)
        self.client = client
    }

    /// Sends events one after the other and measures each.
    func measure(for duration: Duration) async throws -> Comparison.Times {
        let viewModel = try connected
        var latencies = Latencies()
        let beginning = SuspendingClock.now
        repeat {
            let (before, start) = (viewModel.sum, SuspendingClock.now)
            try BenchError.check(await viewModel.sendViewEvent(.add(1)).finish(), of: "an event beside others")
            latencies.record(start.duration(to: .now))
            guard viewModel.sum > before else { throw BenchError("an event ended before its state arrived") }
        } while beginning.duration(to: .now) < duration
        return latencies.times
    }

    /// Keeps a number of events in flight until the task is cancelled.
    func flood(_ window: Int) async throws {
        let viewModel = try connected
        var slots: [EventTask] = []
        var index = 0
        while !Task.isCancelled {
            if slots.count < window {
                slots.append(viewModel.sendViewEvent(.add(1)))
                continue
            }
            let outcome = await slots[index].finish()
            if !Task.isCancelled { try BenchError.check(outcome, of: "an event of a flood") }
            slots[index] = viewModel.sendViewEvent(.add(1))
            index = (index + 1) % window
        }
    }

    private var connected: ViewModel<FaultyFeature> {
        get throws {
            guard let viewModel else { throw BenchError("this client is not connected") }
            return viewModel
        }
    }
}
