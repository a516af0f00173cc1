import LatticeCore

/// An effect that lasts until it is cancelled, and a state that says which one is running.
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
