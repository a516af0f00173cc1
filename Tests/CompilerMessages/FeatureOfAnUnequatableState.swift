// The types are in order, so nothing is said of their order.
// error: requires that 'CounterState' conform to 'Equatable'
import Lattice

struct CounterState: Sendable {}
enum CounterAction: Sendable {}

let feature = Feature(
    interactor: EmptyInteractor<CounterState, CounterAction>(),
    reducer: BuildViewState<CounterState, String>(initial: { _ in "" }) { $1 = "\($0)" }
)
