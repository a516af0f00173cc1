import Lattice
import Observation

/// A value that observers may change.
@MainActor
private final class Names {
    nonisolated(unsafe) var heard: [String] = []
}

@MainActor
func whoHears(_ readers: [(name: String, read: () -> Void)], _ act: () -> Void) -> [String] {
    // Only used here, synchronously.
    let names = Names()
    for (name, read) in readers {
        withObservationTracking(read) { [names] in names.heard.append(name) }
    }
    act()
    return names.heard.sorted()
}

/// A view model of which the state itself is the action.
@MainActor
func makeModel<State: ObservableState & Sendable>(
    _ state: State
) -> ViewModel<Feature<State, State, State>> {
    ViewModel(
        initialDomainState: state,
        feature: Feature(
            interactor: Interact<State, State> { state, action in
                state = action
                return .none
            },
            areStatesEqual: { _, _ in false }
        )
    )
}
