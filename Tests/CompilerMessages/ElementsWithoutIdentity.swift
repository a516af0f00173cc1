// error: 'forEach(state:action:endsEffects:reportsMissing:element:)' is unavailable: the elements have to be Identifiable
// error: 'init(state:action:endsEffects:reportsMissing:element:)' is unavailable: the elements have to be Identifiable
import Lattice

struct Row: Sendable { var name = "" }
enum RowAction: Sendable { case rename(String) }
struct ListState: Sendable { var rows: [Row] = [] }
@CasePathable enum ListAction: Sendable { case rows(IdentifiedAction<Int, RowAction>) }

let modified = EmptyInteractor<ListState, ListAction>().forEach(state: \.rows, action: \.rows) {
    EmptyInteractor<Row, RowAction>()
}
let made = Interactors.ForEach<ListState, ListAction, Int, EmptyInteractor<Row, RowAction>>(
    state: \.rows,
    action: \.rows
) {
    EmptyInteractor<Row, RowAction>()
}
