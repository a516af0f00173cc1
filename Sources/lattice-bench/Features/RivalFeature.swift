import LatticeCore

/// A client in its own process, which measures or floods. It is a feature in a worker, so that the runtime starts the
/// process, talks to it and ends it.
enum RivalFeature: HostedFeature {
    enum Action: Codable, Sendable {
        /// Connects to a coordinator and opens a state.
        case connect(path: String)
        /// Sends events one after the other for a number of milliseconds. The answer contains their times.
        case measure(milliseconds: Int)
        /// Keeps a number of events in flight until the effect is cancelled.
        case flood(window: Int)
        /// The result of a measurement.
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
