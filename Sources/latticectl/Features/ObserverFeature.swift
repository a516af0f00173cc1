import LatticeCore

/// A client in a process of its own, which answers what it has seen. It is a feature in a worker, so that the process
/// is started, spoken to and ended by the runtime.
enum ObserverFeature: HostedFeature {
    enum Action: Codable, Sendable {
        /// Shows the cards of a coordinator.
        case showCards(path: String)
        /// Ends when this card is the first one; the answer is when that was seen.
        case whenFirst(Int)
        /// The answer is the main actor's longest turn since the last time, in nanoseconds.
        case longestTurn
        /// Shows a state of this size.
        case showKeyed(path: String, KeyedSize)
        /// The answer is how many bytes this process has got.
        case countBytes
        /// Cancels effects while so many large view states are on their way; the answers are how long each took.
        case cancelWhileOpening(path: String, rounds: Int)
        case answered([UInt64])
    }

    static let identifier = "bench-observer"
    static func initialDomainState(in context: HostContext) -> [UInt64] { [] }

    static func interactor(in context: HostContext) -> Interact<[UInt64], Action> {
        let observer = ClientObserver()
        return Interact { answer, action in
            if case .answered(let new) = action {
                answer = new
                return .none
            }
            return .perform { .answered(try await observer.answer(action)) }
        }
    }

    static func reducer() -> BuildViewState<[UInt64], [UInt64]> { .asItIs }
}

extension ViewModel where F: HostedFeature {
    /// What a process answers that is asked so, by what its feature shows.
    @discardableResult
    func answer(_ action: Action) async throws -> ViewState {
        try BenchError.check(await sendViewEvent(action).finish(), of: "\(action)")
        return viewState
    }
}
