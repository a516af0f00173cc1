public import LatticeCore

/// A feature that adds numbers.
public enum StarterFeature: HostedFeature {
    /// What the feature can be asked to do.
    public enum Action: Codable, Sendable {
        /// Adds a number.
        case add(Int)
        /// Adds a number after a while.
        case addLater(Int)
    }

    /// The name of the feature in messages, logs and latticectl. Do not change it after a release.
    public static let identifier = "starter"

    public static func initialDomainState(in context: HostContext) -> Int { 0 }

    /// Runs in the worker. It changes the state and returns effects.
    public static func interactor(in context: HostContext) -> Interact<Int, Action> {
        Interact { sum, action in
            switch action {
            case .add(let number):
                sum += number
                return .none
            case .addLater(let number):
                return .perform {
                    try await Task.sleep(for: .milliseconds(100))
                    return .add(number)
                }
            }
        }
    }

    /// Runs in the coordinator. It derives the view state, which the coordinator and the clients show.
    public static func reducer() -> BuildViewState<Int, String> {
        BuildViewState(initial: { _ in "" }) { sum, text in text = "sum \(sum)" }
    }
}
