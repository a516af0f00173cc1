import Lattice

/// The feature that the articles of module LatticeCoordinator use.
enum Upload: HostedFeature {
    enum Action: Codable, Equatable, Sendable {
        case start(file: String)
        case ended(file: String)
        case startAgain
    }

    struct DomainState: Codable, Equatable, Sendable {
        var running: [String] = []
        var done: [String] = []
    }

    static let identifier = "upload"
    static func initialDomainState(in context: HostContext) -> DomainState { DomainState() }

    static func interactor(in context: HostContext) -> Interact<DomainState, Action> {
        Interact { state, action in
            switch action {
            case .start(let file):
                state.running.append(file)
                return upload(file)
            case .startAgain:
                return .merge(state.running.map(upload))
            case .ended(let file):
                state.running.removeAll { $0 == file }
                state.done.append(file)
                return .none
            }
        }
    }

    static func upload(_ file: String) -> Emission<Action> {
        .perform {
            try await Storage.put(file, key: file)
            return .ended(file: file)
        }
    }

    static func reducer() -> BuildViewState<DomainState, [String]> {
        BuildViewState(initial: { _ in [] }) { state, done in done = state.done }
    }

    static func recovery(from interruption: Interruption, in state: DomainState) -> Action? {
        state.running.isEmpty ? nil : .startAgain
    }
}

/// The place where files go.
enum Storage {
    static func put(_ file: String, key: String) async throws {}
}
