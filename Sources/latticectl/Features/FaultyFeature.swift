import LatticeCore

/// Adds up, and does to its worker what no feature should.
enum FaultyFeature: HostedFeature {
    enum Action: Codable, Sendable {
        case add(Int)
        /// An effect that crashes, or takes memory, or a turn that computes; none of them ends by itself.
        case misbehave(Misbehaviour)
        /// An effect that starts programs which outlive it; their identifiers are in the state then.
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
                // A turn would be to blame for it, and its event go to quarantine.
                return .run { _ in misbehaviour.begin() }
            case .startPrograms:
                return .perform {
                    // For longer than any bench takes, in the worker's process group and in a session of its own.
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
    /// What was started last.
    var programs: [Int32] = []
}
