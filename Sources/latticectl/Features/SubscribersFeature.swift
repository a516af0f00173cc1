import LatticeCore

/// Clients in a process of its own. It is a feature in a worker too, so that the process is started, spoken to and
/// ended by the runtime.
enum SubscribersFeature: HostedFeature {
    enum Action: Codable, Sendable {
        /// Connects so many clients to a coordinator; ends when all have their first state.
        case connect(path: String, count: Int)
        /// Ends when every client has the state of this number.
        case reach(Int)
    }

    static let identifier = "bench-subscribers"
    static func initialDomainState(in context: HostContext) -> Int { 0 }

    static func interactor(in context: HostContext) -> Interact<Int, Action> {
        let pool = SubscriberPool()
        return Interact { state, action in
            switch action {
            case .connect(let path, let count):
                state = count
                return .perform {
                    try await pool.connect(count, to: path)
                    return nil
                }
            case .reach(let number):
                return .perform {
                    try await pool.whenAll(have: number)
                    return nil
                }
            }
        }
    }

    static func reducer() -> BuildViewState<Int, Int> { .asItIs }
}
