import LatticeCore

/// Clients in a process of its own. It is a feature in a worker too, so that the process is started, spoken to and
/// ended by the runtime.
enum SubscribersFeature: HostedFeature {
    enum Action: Codable, Sendable {
        /// Connects so many clients to a coordinator; ends when all have their first state.
        case connect(path: String, count: Int)
        /// Ends when every client has the state of this number.
        case reach(Int)
        /// The answer is how long deliveries took since the last time, of states that say when they were sent.
        case takeTimes
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
