import LatticeCore

enum Counter: HostedFeature {
    enum Action: Codable, Sendable { case add(Int) }

    static let identifier = "counter"
    static func initialDomainState(in context: HostContext) -> Int { 0 }

    // Changes the domain state and returns effects.
    static func interactor(in context: HostContext) -> Interact<Int, Action> {
        Interact { sum, action in
            switch action {
            case .add(let number): sum += number
            }
            return .none
        }
    }

    // Derives the view state from the domain state.
    static func reducer() -> BuildViewState<Int, String> {
        BuildViewState(initial: { _ in "" }) { sum, text in text = "sum \(sum)" }
    }
}
