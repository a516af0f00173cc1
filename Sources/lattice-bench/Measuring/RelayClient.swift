import LatticeClient
import LatticeCore

/// A client in its own process that sends events or watches states.
@MainActor final class RelayClient {
    private var client: Client?
    private var echo: ViewModel<EchoFeature>?
    private var driver: ViewModelEchoDriver?
    private var broadcast: ViewModel<BroadcastFeature>?

    nonisolated init() {}

    func answer(_ action: RelayFeature.Action) async throws -> RelayFeature.Answer {
        var answer = RelayFeature.Answer()
        switch action {
        case .connect(let path):
            let client = try Client(connectingTo: path, configuration: .bench)
            try await client.connect()
            self.client = client
        case .send(let count, let window):
            let driver = if let driver { driver } else { ViewModelEchoDriver(try await shown()) }
            self.driver = driver
            answer.figures = try await driver.run(count, window: window)
        case .count:
            answer.counts = ProcessCounts()
            guard let echo, driver != nil else { break }
            answer.counts = ProcessCounts() + (try await echo.ask(EchoFeature.Counts()))
            answer.number = echo.viewState.number
        case .reach(let number):
            for await state in try await shown().viewStates where state.number >= number { break }
        case .publish(let first, let last):
            let broadcast = if let broadcast { broadcast } else { try await connected.viewModel(BroadcastFeature.self) }
            self.broadcast = broadcast
            try await broadcast.publish(first...last)
        case .answered:
            break
        }
        return answer
    }

    /// Returns the view model of the feature that answers events.
    private func shown() async throws -> ViewModel<EchoFeature> {
        let shown = if let echo { echo } else { try await connected.viewModel(EchoFeature.self) }
        echo = shown
        return shown
    }

    private var connected: Client {
        get throws {
            guard let client else { throw BenchError("this client is not connected") }
            return client
        }
    }
}
