// error: 'init(interactor:)' is unavailable: a feature names its action first: Feature<Action, DomainState, ViewState>
import Lattice

struct CounterState: Equatable, Sendable {}
enum CounterAction: Sendable {}

let feature = Feature<CounterState, CounterAction, CounterState>(
    interactor: EmptyInteractor<CounterState, CounterAction>()
)
