import LatticeCore

/// A feature that adds numbers, and that can harm its worker.
enum FaultyFeature: HostedFeature {
    enum Action: Codable, Sendable {
        case add(Int)
        /// Starts an effect that crashes or allocates memory, or a turn that computes. None of them ends by itself.
        case misbehave(Misbehaviour)
        /// Starts programs that outlive the effect. Afterwards the state contains their identifiers.
        case startPrograms
        case started([Int32])
    }

    static let identifier = "bench-faulty"
    static func initialDomainState(in context: HostContext) -> FaultyState { FaultyState() }

    static func interactor(in context: HostContext) -> Interact<FaultyState, Action> {
        Interact { state, action in
            switch action {
            case .add(let number):
                state.sum += number
                return .none
            case .misbehave(.spin):
                Misbehaviour.spin.begin()
            case .misbehave(let misbehaviour):
                // This is an effect, because a turn would be blamed and its event would go to quarantine.
                return .run { _ in misbehaviour.begin() }
            case .startPrograms:
                return .perform {
                    // They run longer than any bench, one in the worker's process group and one in its own session.
                    .started([
                        try OtherProcess.start("sleep", "1000"), try OtherProcess.start("setsid", "sleep", "1000"),
                    ])
                }
            case .started(let programs):
                state.programs = programs
                return .none
            }
        }
    }

    static func reducer() -> BuildViewState<FaultyState, FaultyState> { .asItIs }
}

struct FaultyState: Codable, Equatable, Sendable {
    var sum = 0
    /// The programs that were started last.
    var programs: [Int32] = []
}
