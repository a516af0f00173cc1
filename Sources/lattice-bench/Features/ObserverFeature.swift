import LatticeCore

/// A client in its own process, which reports what it has seen. It is a feature in a worker, so that the runtime starts
/// the process, talks to it and ends it.
enum ObserverFeature: HostedFeature {
    enum Action: Codable, Sendable {
        /// Shows the cards of a coordinator.
        case showCards(path: String)
        /// Ends when this card is the first one. The answer is the time when that was seen.
        case whenFirst(Int)
        /// Requests the longest turn of the main actor since the last request, in nanoseconds.
        case longestTurn
        /// Shows a state of this size.
        case showKeyed(path: String, KeyedSize)
        /// Requests the number of bytes that this process has received.
        case countBytes
        /// Cancels effects while large view states are in transit. The answers are the times of the cancellations.
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
    /// Sends a request to a process and returns its answer, which is the view state afterwards.
    @discardableResult
    func answer(_ action: Action) async throws -> ViewState {
        try BenchError.check(await sendViewEvent(action).finish(), of: "\(action)")
        return viewState
    }
}
