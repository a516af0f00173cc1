// error: 'init(interactor:reducer:)' is unavailable: a feature names its action first
import Lattice

struct CounterState: Equatable, Sendable {}
enum CounterAction: Sendable {}

let feature = Feature<CounterState, CounterAction, String>(
    interactor: EmptyInteractor<CounterState, CounterAction>(),
    reducer: BuildViewState<CounterState, String>(initial: { _ in "" }) { $1 = "\($0)" }
)
