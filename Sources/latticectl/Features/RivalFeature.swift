import LatticeCore

/// A client in a process of its own, which measures or floods. It is a feature in a worker, so that the process is
/// started, spoken to and ended by the runtime.
enum RivalFeature: HostedFeature {
    enum Action: Codable, Sendable {
        /// Connects to a coordinator, and has a state of it.
        case connect(path: String)
        /// Sends events one after the other for so many milliseconds; the answer is how long they took.
        case measure(milliseconds: Int)
        /// Sends events, as many of them in flight as it is told, until it is cancelled.
        case flood(window: Int)
        case answered(Comparison.Times)
    }

    static let identifier = "bench-rival"
    static func initialDomainState(in context: HostContext) -> Comparison.Times { Comparison.Times() }

    static func interactor(in context: HostContext) -> Interact<Comparison.Times, Action> {
        let rival = Rival()
        return Interact { times, action in
            switch action {
            case .connect(let path):
                return .perform {
                    try await rival.connect(path)
                    return nil
                }
            case .measure(let milliseconds):
                return .perform { .answered(try await rival.measure(for: .milliseconds(milliseconds))) }
            case .flood(let window):
                return .perform {
                    try await rival.flood(window)
                    return nil
                }
            case .answered(let answer):
                times = answer
                return .none
            }
        }
    }

    static func reducer() -> BuildViewState<Comparison.Times, Comparison.Times> { .asItIs }
}
