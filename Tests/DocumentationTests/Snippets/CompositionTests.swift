import Lattice
import LatticeTesting
import Synchronization
import Testing

/// The blocks of Composition.md.
@MainActor @Suite(.timeLimit(.minutes(10))) struct CompositionTests {
    struct Editor: Equatable, Sendable {
        var text = ""
    }

    struct Row: Equatable, Identifiable, Sendable {
        let id: Int
        var isDone = false
    }

    struct Library: Equatable, Sendable {
        var counter = CounterState()
        var editor: Editor?
        var rows: [Row] = []
        var log: [String] = []
    }

    @CasePathable
    enum EditorAction: Equatable, Sendable {
        case textChanged(String)
        case doneTapped
    }

    enum RowAction: Equatable, Sendable {
        case toggled
    }

    @CasePathable
    enum LibraryAction: Equatable, Sendable {
        case editTapped
        case rowRemoved(Row.ID)
        case counter(CounterAction)
        case editor(EditorAction)
        case rows(IdentifiedAction<Row.ID, RowAction>)
    }

    @Interactor<Editor, EditorAction>
    struct EditorInteractor: Sendable {
        var body: some InteractorOf<Self> {
            Interact { state, action in
                if case .textChanged(let text) = action { state.text = text }
                return .none
            }
        }
    }

    struct RowInteractor: Interactor, Sendable {
        func interact(state: inout Row, action: RowAction) -> Emission<RowAction> {
            state.isDone.toggle()
            return .none
        }
    }

    struct LogInteractor: Interactor, Sendable {
        func interact(state: inout Library, action: LibraryAction) -> Emission<LibraryAction> {
            state.log.append("\(action)".split(separator: "(").first.map(String.init) ?? "")
            return .none
        }
    }

    @Interactor<Library, LibraryAction>
    struct LibraryInteractor: Sendable {
        var isLogging = false

        var body: some InteractorOf<Self> {
            Interact { state, action in
                switch action {
                case .editTapped: state.editor = Editor()
                case .editor(.doneTapped): state.editor = nil
                case .rowRemoved(let id): state.rows.removeAll { $0.id == id }
                case .counter, .editor, .rows: break
                }
                return .none
            }
            .when(state: \.counter, action: \.counter) {
                CounterInteractor(fetch: { 42 })
            }
            .ifLet(state: \.editor, action: \.editor) {
                EditorInteractor()
            }
            .forEach(state: \.rows, action: \.rows) {
                RowInteractor()
            }
            if isLogging {
                LogInteractor()
            }
        }
    }

    @Test func childrenHandleTheirActions() async {
        let harness = InteractorTestHarness(
            initialState: Library(rows: [Row(id: 1), Row(id: 2)]),
            interactor: LibraryInteractor(isLogging: true)
        )
        harness.send(.counter(.increment), .editTapped, .editor(.textChanged("a")))
        #expect(harness.currentState.editor == Editor(text: "a"))
        harness.send(.rows(.element(id: 2, action: .toggled)), .rowRemoved(1), .editor(.doneTapped))
        harness.expectLatestState(
            Library(
                counter: CounterState(count: 1),
                rows: [Row(id: 2, isDone: true)],
                log: ["counter", "editTapped", "editor", "rows", "rowRemoved", "editor"]
            )
        )
    }

    @Test func actionsAreLogged() {
        let entries = Mutex<[String]>([])
        let log = Log { entry in entries.withLock { $0.append(entry) } }
        let interactor = LibraryInteractor()
            .logActions("library") { entry in log.append("\(entry)") }
        InteractorTestHarness(initialState: Library(), interactor: interactor).send(.editTapped)
        #expect(entries.withLock { $0.count } == 1)
        #expect(entries.withLock { $0[0] }.hasPrefix("library: editTapped in "))
        #expect(entries.withLock { $0[0] }.hasSuffix(", state changed"))
    }

    private struct Log: Sendable {
        let append: @Sendable (String) -> Void
    }
}
