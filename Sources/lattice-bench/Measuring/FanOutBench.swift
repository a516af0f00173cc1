import LatticeCoordinator
import LatticeCore
import LatticeToolSupport

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

    /// The place where the states are made.
    enum Source {
        /// The coordinator publishes states without a worker.
        case publisher
        /// A view model of the coordinator sends events, and a worker makes the states.
        case viewModel
        /// A client in another process sends events, and a worker makes the states.
        case client
    }

    /// Publishes the states with these numbers, one after the other.
    private typealias Publish = @MainActor (_ numbers: ClosedRange<Int>) async throws -> Void

    let source: Source

    func run(into report: BenchReport) async throws {
        try BroadcastFeature.checkSize()
        let start = ProcessorTime.now
        let duration = try await TemporaryFolder.with { try await publishAll(at: "\($0)/bench.sock") }
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
            try await withPublisher(coordinator, path) { publish in
                try await withCoordinator(hosting: SubscribersFeature.self, configuration: .bench) { pool in
                    let subscribers = try await pool.viewModel(SubscribersFeature.self)
                    let connecting = subscribers.sendViewEvent(.connect(path: path, count: BenchScale.subscribers))
                    try BenchError.check(await connecting.finish(), of: "connecting the clients")
                    return try await publishAll(publish, to: subscribers)
                }
            }
        }
    }

    private func withPublisher(
        _ coordinator: Coordinator,
        _ path: String,
        _ body: @MainActor (@escaping Publish) async throws -> Duration
    ) async throws -> Duration {
        switch source {
        case .publisher:
            let publish = try await coordinator.publisher(of: BroadcastFeature.self)
            return try await body { numbers in
                for number in numbers { try publish(NumberedBytes(number, count: BroadcastFeature.size)) }
            }
        case .viewModel:
            let viewModel = try await coordinator.viewModel(BroadcastFeature.self)
            return try await body { try await viewModel.publish($0) }
        case .client:
            return try await ClientProcesses<RelayFeature>.with(1) { clients in
                try await clients[0].answer(.connect(path: path))
                return try await body { numbers in
                    try await clients[0].answer(.publish(first: numbers.lowerBound, last: numbers.upperBound))
                }
            }
        }
    }

    /// Publishes all states. The duration lasts from the first event until the last client has received the last state.
    private func publishAll(
        _ publish: Publish,
        to subscribers: ViewModel<SubscribersFeature>
    ) async throws -> Duration {
        let start = SuspendingClock.now
        var questions: [EventTask] = []
        for index in stride(from: 0, to: BenchScale.broadcasts, by: Self.step) {
            let number = NumberedBytes.firstNumber + min(index + Self.step, BenchScale.broadcasts)
            try await publish(NumberedBytes.firstNumber + index + 1...number)
            questions.append(subscribers.sendViewEvent(.reach(number)))
            guard questions.count > Self.maximumQuestions else { continue }
            try BenchError.check(await questions.removeFirst().finish(), of: "the deliveries")
        }
        for question in questions { try BenchError.check(await question.finish(), of: "the deliveries") }
        return start.duration(to: .now)
    }
}

extension ViewModel<BroadcastFeature> {
    /// Has a worker make the states with these numbers. Each is shown before the next one is made.
    func publish(_ numbers: ClosedRange<Int>) async throws {
        for number in numbers {
            try BenchError.check(await sendViewEvent(number).finish(), of: "message \(number)")
            try BenchError.check(viewState.isWhole(BroadcastFeature.size) ? viewState.number : 0, is: number)
        }
    }
}
