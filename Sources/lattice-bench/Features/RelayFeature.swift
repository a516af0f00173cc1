import LatticeCore

/// A client in its own process, which sends events to a feature of a coordinator or watches its states. It is a feature
/// in a worker, so that the runtime starts the process, talks to it and ends it.
enum RelayFeature: HostedFeature {
    enum Action: Codable, Sendable {
        /// Connects to a coordinator.
        case connect(path: String)
        /// Sends events to `EchoFeature` with at most `window` of them in flight. The answer contains their times.
        case send(count: Int, window: Int)
        /// Ends when the view state of `EchoFeature` shows this number or a higher one.
        case reach(Int)
        /// Answers with what the client's process has counted, and, if it has sent events, the worker's.
        case count
        /// Has the states of `BroadcastFeature` with these numbers made, one after the other.
        case publish(first: Int, last: Int)
        case answered(Answer)
    }

    /// The results of sending events.
    struct Answer: Codable, Equatable, Sendable {
        var figures = EchoBench.Figures()
        /// What the processes had counted when the client was asked.
        var counts: ProcessCounts?
        /// The number of the last state of `EchoFeature` that the client showed when it was asked.
        var number = 0
    }

    static let identifier = "bench-relay"
    static func initialDomainState(in context: HostContext) -> Answer { Answer() }

    static func interactor(in context: HostContext) -> Interact<Answer, Action> {
        let client = RelayClient()
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
