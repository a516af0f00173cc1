import LatticeCore
import LatticeTesting
import Testing

/// The table of ViewStatesForViewers.md.
struct Table: Codable, Sendable, Equatable {
    var board: [String] = []
    var hands: [String: [String]] = [:]
}

struct Shown: Codable, Sendable, Equatable {
    var board: [String] = []
    var hand: [String] = []
}

/// The feature of ViewStatesForViewers.md.
enum CardsFeature: ViewerFeature {
    static func reducer(for viewer: Viewer.Identity) -> BuildViewState<Table, Shown> {
        BuildViewState(initial: { _ in Shown() }) { table, shown in
            shown.board = table.board
            shown.hand = table.hands[viewer.description] ?? []
        }
    }

    /// Another document has a type of this name.
    typealias Viewer = LatticeCore.Viewer
    enum Action: Codable, Sendable { case deal(String, to: String) }

    static let identifier = "cards"
    static func initialDomainState(in context: HostContext) -> Table { Table() }

    static func interactor(in context: HostContext) -> Interact<Table, Action> {
        Interact { table, action in
            switch action {
            case .deal(let card, let viewer):
                table.hands[viewer, default: []].append(card)
                return .none
            }
        }
    }
}

/// The feature whose viewers share a view state by their role.
private enum BoardFeature: ViewerFeature {
    typealias Viewer = LatticeCore.Viewer
    enum Role { case owner, guest }
    enum Action: Codable, Sendable { case clear }

    static let identifier = "board"
    static func initialDomainState(in context: HostContext) -> Table { Table() }

    static func viewerKey(of viewer: Viewer) -> Role {
        if case .client(let client) = viewer, client.userID != 1000 { return .guest }
        return .owner
    }

    static func reducer(for role: Role) -> some ViewStateReducer<Table, Shown> & Sendable {
        BuildViewState(initial: { _ in Shown() }) { table, shown in
            shown.board = role == .owner ? table.board : []
        }
    }

    static func interactor(in context: HostContext) -> some Interactor<Table, Action> & Sendable {
        Interact { table, action in
            table.board = []
            return .none
        }
    }
}

/// The blocks of ViewStatesForViewers.md.
@MainActor @Suite(.timeLimit(.minutes(10))) struct ViewStatesForViewersTests {
    @Test func program() async {
        let viewModel = TestViewModel(inProcess: CardsFeature.self)
        await viewModel.send(.deal("ace", to: "program")) { $0.hands["program"] = ["ace"] }
        #expect(viewModel.viewState.hand == ["ace"])
        await viewModel.send(.deal("king", to: "another")) { $0.hands["another"] = ["king"] }
        #expect(viewModel.viewState.hand == ["ace"])
    }

    @Test("Clients have the same identity only if they chose it for the same user")
    func identity() {
        func identity(_ sender: String, _ userID: UInt32?, processID: Int32) -> LatticeCore.Viewer.Identity {
            let client = RuntimeEvent.Client(sender: sender, processID: processID, userID: userID)
            return LatticeCore.Viewer.client(client).identity
        }
        #expect(identity("a", 1, processID: 1) == identity("a", 1, processID: 2))
        #expect(identity("a", 1, processID: 1) != identity("a", 2, processID: 1))
        #expect(identity("a", 1, processID: 1) != identity("b", 1, processID: 1))
        #expect(identity("a", nil, processID: 1) != LatticeCore.Viewer.program.identity)
    }

    @Test("Viewers with equal keys share a view state")
    func roles() {
        let guest = LatticeCore.Viewer.client(RuntimeEvent.Client(sender: "a", processID: nil, userID: 1))
        let owner = LatticeCore.Viewer.client(RuntimeEvent.Client(sender: "b", processID: nil, userID: 1000))
        #expect(BoardFeature.viewerKey(of: guest) == .guest)
        #expect(BoardFeature.viewerKey(of: owner) == BoardFeature.viewerKey(of: .program))
    }
}
