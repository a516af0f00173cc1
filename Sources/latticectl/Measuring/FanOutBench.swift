import LatticeCoordinator
import LatticeCore

/// Measures the delivery of states of 1 KiB to many clients in one other process.
///
/// A client that does not keep up receives only the newest state, but in this measurement no state may be skipped. The
/// publisher therefore limits itself: the unconfirmed messages always fit into the batch that a session collects while
/// its socket is full. The process of the clients confirms what all of them have received.
@MainActor struct FanOutBench {
    /// The number of messages between two confirmations.
    private static let step = 32
    /// The maximum number of confirmations that are awaited. With the messages after the last request, at most 96 KiB
    /// are unconfirmed. The same amount may have been sent without being confirmed yet. Both together fit into the 256
    /// KiB of a batch.
    private static let maximumQuestions = 2

    let side: BenchSide

    func run(into report: BenchReport) async throws {
        try BroadcastFeature.checkSize()
        let start = ProcessorTime.now
        let duration = try await BenchFolder.with { try await publishAll(at: "\($0)/bench.sock") }
        let count = BenchScale.broadcasts * BenchScale.subscribers
        report.add(rate: "deliveries", count: count, in: duration, key: "fanout_per_s")
        report.add(time: "delivery", .now - start, count: count, key: "fanout_cpu_us")
    }

    private func publishAll(at path: String) async throws -> Duration {
        try await withCoordinator(
            hosting: BroadcastFeature.self,
            listeningAt: path,
            configuration: .bench
        ) { coordinator in
            let publish = try await publisher(coordinator)
            return try await withCoordinator(hosting: SubscribersFeature.self, configuration: .bench) { pool in
                let subscribers = try await pool.viewModel(SubscribersFeature.self)
                let connecting = subscribers.sendViewEvent(.connect(path: path, count: BenchScale.subscribers))
                try BenchError.check(await connecting.finish(), of: "connecting the clients")
                return try await publishAll(publish, to: subscribers)
            }
        }
    }

    /// Returns a function that publishes the state with a number.
    private func publisher(_ coordinator: Coordinator) async throws -> @MainActor (Int) async throws -> Void {
        let viewModel = try await coordinator.viewModel(BroadcastFeature.self)
        switch side {
        case .viewModel:
            // A worker makes each state and a view model shows it. The next state is made after that.
            return { number in
                try BenchError.check(await viewModel.sendViewEvent(number).finish(), of: "message \(number)")
                let state = viewModel.viewState
                try BenchError.check(state.isWhole(BroadcastFeature.size) ? state.number : 0, is: number)
            }
        case .session:
            // The coordinator publishes one state after the other.
            let publish = try coordinator.publisher(of: BroadcastFeature.self)
            return { try publish(NumberedBytes($0, count: BroadcastFeature.size)) }
        }
    }

    /// Publishes all states. The duration lasts from the first event until the last client has received the last state.
    private func publishAll(
        _ publish: @MainActor (_ number: Int) async throws -> Void,
        to subscribers: ViewModel<SubscribersFeature>
    ) async throws -> Duration {
        let start = SuspendingClock.now
        var questions: [EventTask] = []
        for index in 1...BenchScale.broadcasts {
            let number = NumberedBytes.firstNumber + index
            try await publish(number)
            guard index.isMultiple(of: Self.step) else { continue }
            questions.append(subscribers.sendViewEvent(.reach(number)))
            guard questions.count > Self.maximumQuestions else { continue }
            try BenchError.check(await questions.removeFirst().finish(), of: "the deliveries")
        }
        let last = subscribers.sendViewEvent(.reach(NumberedBytes.firstNumber + BenchScale.broadcasts))
        try BenchError.check(await last.finish(), of: "the deliveries")
        return start.duration(to: .now)
    }
}
