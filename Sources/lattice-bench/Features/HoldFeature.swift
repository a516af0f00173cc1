import LatticeCore

/// An effect that runs until it is cancelled, and a state that contains the number of the running effect.
enum HoldFeature: HostedFeature {
    enum Action: Codable, Sendable {
        case hold(Int)
        case running(Int)
    }

    static let identifier = "bench-hold"
    static func initialDomainState(in context: HostContext) -> Int { 0 }

    static func interactor(in context: HostContext) -> Interact<Int, Action> {
        Interact { state, action in
            switch action {
            case .hold(let number):
                return .run { send in
                    await send(.running(number))
                    try? await Task.sleep(for: .seconds(60))
                }
            case .running(let number):
                state = number
                return .none
            }
        }
    }

    static func reducer() -> BuildViewState<Int, Int> { .asItIs }
}
