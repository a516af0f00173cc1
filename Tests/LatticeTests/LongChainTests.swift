import Lattice
import Testing

// The compiler has to find the types of a chain in time, however many modifiers it has: it gives up where it tries the
// overloads of one against those of all others. That these compile is most of the test.

struct ChainRow: Identifiable, Equatable, Sendable {
    var id = 0
    var value = 0
}

@CasePathable
enum ChainRowAction: Sendable { case add }

struct ChainRowInteractor: Interactor, Sendable {
    func interact(state: inout ChainRow, action: ChainRowAction) -> Emission<ChainRowAction> {
        state.value += 1
        return .none
    }
}

struct ChainState: Sendable {
    var array = [ChainRow()]
    var table = [0: ChainRow()]
    var list = StateList([ChainRow()])
    var keyed: StateDictionary<Int, ChainRow> = [0: ChainRow()]
    var contiguous: ContiguousArray = [ChainRow()]
    var slice = [ChainRow()][...]
    var single = ChainRow()
    var optional: ChainRow? = ChainRow()
}

@CasePathable
enum ChainAction: Sendable {
    case rows(IdentifiedAction<Int, ChainRowAction>)
    case row(ChainRowAction)
}

@Interactor<ChainState, ChainAction>
struct ChainOfElements: Sendable {
    var body: some InteractorOf<Self> {
        Interact { _, _ in .none }
            .forEach(state: \.array, action: \.rows) { ChainRowInteractor() }
            .forEach(state: \.table, action: \.rows) { ChainRowInteractor() }
            .forEach(state: \.list, action: \.rows) { ChainRowInteractor() }
            .forEach(state: \.keyed, action: \.rows) { ChainRowInteractor() }
            .forEach(state: \.contiguous, action: \.rows) { ChainRowInteractor() }
            .forEach(state: \.slice, action: \.rows) { ChainRowInteractor() }
            .when(state: \.single, action: \.row) { ChainRowInteractor() }
            .ifLet(state: \.optional, action: \.row) { ChainRowInteractor() }
            .forEach(state: \.array, action: \.rows) { ChainRowInteractor() }
            .forEach(state: \.table, action: \.rows) { ChainRowInteractor() }
            .forEach(state: \.list, action: \.rows) { ChainRowInteractor() }
            .forEach(state: \.keyed, action: \.rows) { ChainRowInteractor() }
            .forEach(state: \.contiguous, action: \.rows) { ChainRowInteractor() }
            .forEach(state: \.slice, action: \.rows) { ChainRowInteractor() }
            .when(state: \.single, action: \.row) { ChainRowInteractor() }
            .ifLet(state: \.optional, action: \.row) { ChainRowInteractor() }
            .forEach(state: \.array, action: \.rows) { ChainRowInteractor() }
            .forEach(state: \.table, action: \.rows) { ChainRowInteractor() }
            .forEach(state: \.list, action: \.rows) { ChainRowInteractor() }
            .forEach(state: \.keyed, action: \.rows) { ChainRowInteractor() }
    }
}

@MainActor
struct LongChainTests {
    @Test("A chain of twenty modifiers compiles, and each modifier handles its action")
    func aLongChainOfElements() {
        let viewModel = ViewModel(
            initialDomainState: ChainState(),
            feature: Feature(
                interactor: ChainOfElements(),
                reducer: BuildViewState<ChainState, [Int]>(initial: { _ in [] }) { state, values in
                    values = [
                        state.array[0].value, state.table[0]?.value ?? 0, state.list[id: 0]?.value ?? 0,
                        state.keyed[0]?.value ?? 0, state.contiguous[0].value, state.slice[0].value,
                        state.single.value, state.optional?.value ?? 0,
                    ]
                },
                areStatesEqual: { _, _ in false }
            )
        )
        viewModel.sendViewEvent(.rows(.element(id: 0, action: .add)))
        viewModel.sendViewEvent(.row(.add))
        #expect(viewModel.viewState == [3, 3, 3, 3, 2, 2, 2, 2])
    }
}
