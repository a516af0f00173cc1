// warning: '@Interactor' takes the 'DomainState' first, then the 'Action': '@Interactor<CounterState, CounterAction>'
// error: cannot convert value of type 'Emission<CounterAction>' to closure result type 'Emission<Counter.Action>'
import Lattice

struct CounterState: Equatable, Sendable {}
@CasePathable enum CounterAction: Sendable { case add }

@Interactor<CounterAction, CounterState>
struct Counter: Sendable {
    var body: some InteractorOf<Self> {
        Interact { state, action in
            let emission: Emission<CounterAction> = .none
            return emission
        }
    }
}
