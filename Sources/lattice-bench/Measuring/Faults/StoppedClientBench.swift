import Glibc
import LatticeCoordinator
import LatticeCore
import LatticeToolSupport

/// Measures deliveries of states of 1 KiB to 99 clients while another client is stopped and reads nothing.
@MainActor struct StoppedClientBench {
    /// The maximum time for a signal to take effect.
    private static let timeout: Duration = .seconds(5)
    private static let period: Duration = .milliseconds(1)

    func run(into report: BenchReport) async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/bench.sock"
            try await withCoordinator(
                hosting: BroadcastFeature.self,
                listeningAt: path,
                configuration: .patient
            ) { coordinator in
                // The feature is opened before clients request it.
                _ = try await coordinator.viewModel(BroadcastFeature.self)
                let publish = try await coordinator.publisher(of: BroadcastFeature.self)
                let comparison = try await withSubscribers(BenchScale.subscribers - 1, at: path) { others in
                    try await withSubscribers(1, at: path) { stopped in
                        try await compare(Deliveries(publish: publish, subscribers: others), stopping: stopped)
                    }
                }
                report.add(
                    comparison:
                        "delivery to each of \(BenchScale.subscribers - 1) clients beside a stopped one, compared with"
                        + " none",
                    comparison,
                    key: "beside_stopped"
                )
            }
        }
    }

    private func withSubscribers<Result>(
        _ count: Int,
        at path: String,
        _ body: @MainActor (ViewModel<SubscribersFeature>) async throws -> Result
    ) async throws -> Result {
        try await withCoordinator(hosting: SubscribersFeature.self, configuration: .patient) { pool in
            let subscribers = try await pool.viewModel(SubscribersFeature.self)
            try await subscribers.answer(.connect(path: path, count: count))
            return try await body(subscribers)
        }
    }

    private func compare(
        _ deliveries: Deliveries,
        stopping stopped: ViewModel<SubscribersFeature>
    ) async throws -> Comparison {
        let process = try stopped.workerProcess
        // A stopped process would delay its coordinator at the end.
        defer { kill(process.processID, SIGCONT) }
        try await deliveries.publish(BenchScale.warmUp / 10)
        return try await Comparison.measuring(BenchScale.comparisons) {
            kill(process.processID, SIGSTOP)
            try await Deadline.run(within: Self.timeout, waitingFor: "the stop of a client") {
                while process.state != "T" { try await Task.sleep(for: Self.period) }
            }
            let times = try await deliveries.publish(BenchScale.broadcasts)
            kill(process.processID, SIGCONT)
            return times
        } reference: {
            try await deliveries.publish(BenchScale.broadcasts)
        }
    }
}

/// Publishes states one after the other. Each is published when all clients have received the previous one.
@MainActor private final class Deliveries {
    private let publishOne: (NumberedBytes) throws -> Void
    private let subscribers: ViewModel<SubscribersFeature>
    private var number = NumberedBytes.firstNumber

    init(publish: @escaping (NumberedBytes) throws -> Void, subscribers: ViewModel<SubscribersFeature>) {
        publishOne = publish
        self.subscribers = subscribers
    }

    /// Publishes a number of states and returns the times of their deliveries.
    @discardableResult
    func publish(_ count: Int) async throws -> Comparison.Times {
        try await subscribers.answer(.takeTimes)
        for _ in 0..<max(1, count) {
            try Task.checkCancellation()
            number += 1
            var state = NumberedBytes(number, count: BroadcastFeature.size)
            state.time = ProcessFigures.sharedTime
            try publishOne(state)
            try await subscribers.answer(.reach(number))
        }
        return try await subscribers.answer(.takeTimes)
    }
}

extension CoordinatorConfiguration {
    /// A configuration in which a stopped client or worker does not count as hanging.
    fileprivate static var patient: CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration.bench
        configuration.heartbeatTimeout = .seconds(600)
        return configuration
    }
}
