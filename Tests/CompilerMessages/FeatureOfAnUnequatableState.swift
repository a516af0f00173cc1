// The order of the types is correct, so the compiler does not mention it.
// error: requires that 'CounterState' conform to 'Equatable'
import Lattice

struct CounterState: Sendable {}
enum CounterAction: Sendable {}

let feature = Feature(
    interactor: EmptyInteractor<CounterState, CounterAction>(),
    reducer: BuildViewState<CounterState, String>(initial: { _ in "" }) { $1 = "\($0)" }
)
