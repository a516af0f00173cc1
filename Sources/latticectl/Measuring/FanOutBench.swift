import LatticeCoordinator
import LatticeCore

/// States of 1 KiB to many clients in one other process.
///
/// A client that does not keep up gets the newest state instead of all, and here none may be left out. So the publisher
/// paces itself: it waits for each state to be its own view model's, and it never has more messages out than half of
/// what a session puts together while its socket takes nothing. The clients' process says how far all of them are.
@MainActor struct FanOutBench {
    /// Messages between two questions how far the clients are.
    private static let step = 16
    /// Such questions without an answer. With the step behind the last: 48 KiB at most, of the 64 KiB of a batch.
    private static let maximumQuestions = 2

    private let scale = BenchScale.ofEnvironment
    private let clock = SuspendingClock()

    func run(into report: BenchReport) async throws {
        try BroadcastFeature.checkSize()
        let duration = try await measure()
        report.add(
            rate: "deliveries",
            count: scale.broadcasts * scale.subscribers,
            in: duration,
            key: "fanout_per_s"
        )
    }

    private func measure() async throws -> Duration {
        let configuration = BenchCoordinator.configuration
        return try await BenchFolder.with { folder in
            let path = "\(folder)/bench.sock"
            return try await withCoordinator(
                hosting: BroadcastFeature.self,
                listeningAt: path,
                configuration: configuration
            ) { source in
                let publisher = try await source.viewModel(BroadcastFeature.self)
                return try await withCoordinator(
                    hosting: SubscribersFeature.self,
                    configuration: configuration
                ) { hall in
                    let subscribers = try await hall.viewModel(SubscribersFeature.self)
                    let connecting = subscribers.sendViewEvent(.connect(path: path, count: scale.subscribers))
                    try BenchError.check(await connecting.finish(), of: "connecting the clients")
                    return try await publish(publisher, to: subscribers)
                }
            }
        }
    }

    /// From the first event until the last client has the last state.
    private func publish(
        _ publisher: ViewModel<BroadcastFeature>,
        to subscribers: ViewModel<SubscribersFeature>
    ) async throws -> Duration {
        let start = clock.now
        var questions: [EventTask] = []
        for index in 1...scale.broadcasts {
            let number = BroadcastState.firstNumber + index
            try BenchError.check(await publisher.sendViewEvent(number).finish(), of: "message \(number)")
            guard publisher.viewState.number == number else {
                throw BenchError("the view state shows \(publisher.viewState.number) instead of \(number)")
            }
            guard index.isMultiple(of: Self.step) else { continue }
            questions.append(subscribers.sendViewEvent(.reach(number)))
            guard questions.count > Self.maximumQuestions else { continue }
            try BenchError.check(await questions.removeFirst().finish(), of: "the deliveries")
        }
        let last = subscribers.sendViewEvent(.reach(BroadcastState.firstNumber + scale.broadcasts))
        try BenchError.check(await last.finish(), of: "the deliveries")
        return start.duration(to: clock.now)
    }
}
