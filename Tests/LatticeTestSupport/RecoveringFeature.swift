package import LatticeCore

/// A feature whose effects wait at gates, and wait again after the death of its worker.
package enum RecoveringFeature: HostedFeature {
    package enum Action: Codable, Sendable, Equatable {
        case wait(gate: String)
        case passed
        case recover
    }

    package struct State: Codable, Sendable, Equatable {
        package var gate: String?
        package var recoveries = 0

        package init(gate: String? = nil, recoveries: Int = 0) {
            self.gate = gate
            self.recoveries = recoveries
        }
    }

    package static let identifier = "recovering"
    package static func initialDomainState(in context: HostContext) -> State { State() }

    package static func interactor(in context: HostContext) -> Interact<State, Action> {
        Interact { state, action in
            switch action {
            case .wait(let gate):
                state.gate = gate
                return pass(gate)
            case .passed:
                state.gate = nil
                return .none
            case .recover:
                state.recoveries += 1
                return state.gate.map(pass) ?? .none
            }
        }
    }

    private static func pass(_ gate: String) -> Emission<Action> {
        .perform {
            try await Gates.wait(gate)
            return .passed
        }
    }

    package static func reducer() -> BuildViewState<State, State> {
        BuildViewState(initial: { $0 }) { state, view in view = state }
    }

    package static func recovery(from interruption: Interruption, in state: State) -> Action? { .recover }
}
