import LatticeCore

/// Clients in another process. It is a feature in a worker, so that the runtime starts the process, talks to it and
/// ends it.
enum SubscribersFeature: HostedFeature {
    enum Action: Codable, Sendable {
        /// Connects a number of clients to a coordinator. Ends when all have received their first state.
        case connect(path: String, count: Int)
        /// Ends when every client has received the state with this number.
        case reach(Int)
        /// Requests the times of deliveries since the last request. Only states that contain the time of sending count.
        case takeTimes
        /// The result of a request.
        case answered(Comparison.Times)
    }

    static let identifier = "bench-subscribers"
    static func initialDomainState(in context: HostContext) -> Comparison.Times { Comparison.Times() }

    static func interactor(in context: HostContext) -> Interact<Comparison.Times, Action> {
        let pool = SubscriberPool()
        return Interact { times, action in
            switch action {
            case .connect(let path, let count):
                return .perform {
                    try await pool.connect(count, to: path)
                    return nil
                }
            case .reach(let number):
                return .perform {
                    try await pool.whenAll(have: number)
                    return nil
                }
            case .takeTimes:
                return .perform { .answered(try pool.takeTimes()) }
            case .answered(let answer):
                times = answer
                return .none
            }
        }
    }

    static func reducer() -> BuildViewState<Comparison.Times, Comparison.Times> { .asItIs }
}
