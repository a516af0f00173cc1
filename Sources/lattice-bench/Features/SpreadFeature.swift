import LatticeClient
import LatticeCore

/// A client in its own process, which sends events to many instances of `EchoFeature`.
enum SpreadFeature: HostedFeature {
    enum Action: Codable, Sendable {
        /// Connects to a coordinator and opens a number of instances, whose keys are numbers from 0 on.
        case connect(path: String, instances: Int)
        /// Sends events to all instances in turn for a time, with at most `window` of them in flight, and at most
        /// `rate` in a second.
        case send(milliseconds: Int, window: Int, rate: Int)
        /// Sends events to each of the first instances without waiting for their outcomes.
        case queue(events: Int, instances: Int)
        case answered(Answer)
    }

    /// The events that were sent, and the time that they took.
    struct Answer: Codable, Equatable, Sendable {
        var events = 0
        var duration = Duration.zero

        var perSecond: Double { Double(events) / max(duration / .seconds(1), 0.001) }
    }

    static let identifier = "bench-spread"
    static func initialDomainState(in context: HostContext) -> Answer { Answer() }

    static func interactor(in context: HostContext) -> Interact<Answer, Action> {
        let client = SpreadClient()
        return Interact { answer, action in
            if case .answered(let new) = action {
                answer = new
                return .none
            }
            return .perform { .answered(try await client.answer(action)) }
        }
    }

    static func reducer() -> BuildViewState<Answer, Answer> { .asItIs }
}

/// A client that sends events to many instances.
@MainActor final class SpreadClient {
    private var client: Client?
    private var instances: [ViewModel<EchoFeature>] = []
    private var nextNumbers: [Int] = []
    /// The number of events that were sent and have not ended.
    private var queued: [EventTask] = []

    nonisolated init() {}

    func answer(_ action: SpreadFeature.Action) async throws -> SpreadFeature.Answer {
        switch action {
        case .connect(let path, let count):
            let client = try Client(connectingTo: path, configuration: .bench)
            try await client.connect()
            self.client = client
            for index in 0..<count {
                instances.append(try await client.viewModel(EchoFeature.self, instance: "\(index)"))
                nextNumbers.append(NumberedBytes.firstNumber)
            }
        case .send(let milliseconds, let window, let rate):
            return try await send(for: .milliseconds(milliseconds), window: window, rate: rate)
        case .queue(let events, let count):
            for index in 0..<min(count, instances.count) { for _ in 0..<events { queued.append(next(index)) } }
            return SpreadFeature.Answer(events: queued.count)
        case .answered: break
        }
        return SpreadFeature.Answer()
    }

    private func next(_ index: Int) -> EventTask {
        defer { nextNumbers[index] += 1 }
        return instances[index].sendViewEvent(EchoFeature.action(nextNumbers[index]))
    }

    private func send(for duration: Duration, window: Int, rate: Int) async throws -> SpreadFeature.Answer {
        let start = SuspendingClock.now
        var (sent, slots): (Int, [EventTask]) = (0, [])
        while start.duration(to: .now) < duration {
            let due = start + .seconds(1) * sent / rate
            if due > .now { try await Task.sleep(until: due, clock: .suspending) }
            let index = sent % instances.count
            if slots.count < window {
                slots.append(next(index))
            } else {
                let slot = sent % window
                try BenchError.check(await slots[slot].finish(), of: "an event of many instances")
                slots[slot] = next(index)
            }
            sent += 1
        }
        for task in slots { try BenchError.check(await task.finish(), of: "an event of many instances") }
        let time = start.duration(to: .now)
        for (viewModel, number) in zip(instances, nextNumbers) {
            try BenchError.check(viewModel.viewState.number, is: number - 1)
            try BenchError.check(viewModel.viewState.gaps, is: 0)
        }
        return SpreadFeature.Answer(events: sent, duration: time)
    }
}
