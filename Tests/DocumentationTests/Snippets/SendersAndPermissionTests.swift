import LatticeCoordinator
import LatticeCore
import LatticeTesting
import Testing

/// The feature of SendersAndPermission.md.
private enum NoteFeature: HostedFeature {
    enum Action: Codable, Sendable, Equatable { case rename(String) }

    struct Note: Codable, Sendable, Equatable {
        var name = ""
        var author = ""
    }

    static let identifier = "note"
    static func initialDomainState(in context: HostContext) -> Note { Note() }

    static func interactor(in context: HostContext) -> Interact<Note, Action> {
        Interact { note, action in
            switch action {
            case .rename(let name):
                note.name = name
                note.author =
                    switch EventContext.current?.sender {
                    case .client(let client): client.program ?? "an unknown program"
                    default: "this program"
                    }
                return .none
            }
        }
    }

    static func reducer() -> BuildViewState<Note, Note> {
        BuildViewState(initial: { $0 }) { note, shown in shown = note }
    }
}

/// The feature that shows who is there.
private enum BoardFeature: PresenceFeature {
    enum Action: Codable, Sendable, Equatable { case present([String]) }

    struct Board: Codable, Sendable, Equatable {
        var programs: [String] = []
    }

    static let identifier = "board"
    static func initialDomainState(in context: HostContext) -> Board { Board() }

    static func action(for presence: Presence, in board: Board) -> Action? {
        .present(presence.clients.map { $0.program ?? "an unknown program" })
    }

    static func interactor(in context: HostContext) -> Interact<Board, Action> {
        Interact { board, action in
            switch action {
            case .present(let programs):
                if case .client? = EventContext.current?.sender { return .none }
                board.programs = programs
                return .none
            }
        }
    }

    static func reducer() -> BuildViewState<Board, Board> {
        BuildViewState(initial: { $0 }) { board, shown in shown = board }
    }
}

/// The blocks of SendersAndPermission.md.
@MainActor @Suite(.timeLimit(.minutes(10))) struct SendersAndPermissionTests {
    @Test func author() async {
        let viewModel = TestViewModel(inProcess: NoteFeature.self)
        viewModel.sender = .client(RuntimeEvent.Client(sender: "alice", processID: 712, userID: 1000))
        await viewModel.send(.rename("plan")) {
            $0.name = "plan"
            $0.author = "an unknown program"
        }
        viewModel.sender = .program
        await viewModel.send(.rename("list")) {
            $0.name = "list"
            $0.author = "this program"
        }
    }

    @Test func presence() async throws {
        let viewModel = TestViewModel(inProcess: BoardFeature.self)
        let client = RuntimeEvent.Client(sender: "alice", processID: 712, userID: 1000, program: "/usr/bin/draw")
        let presence = Presence(clients: [client], changes: [.joined(client)])
        let action = try #require(BoardFeature.action(for: presence, in: BoardFeature.Board()))
        await viewModel.send(action) { $0.programs = ["/usr/bin/draw"] }
        viewModel.sender = .client(client)
        await viewModel.send(.present([]))
    }

    @Test func permission() {
        var configuration = CoordinatorConfiguration()
        configuration.authorization = { request in
            if request.client.userID == 1000 { return .full }
            return .readOnly("Only the owner may change notes. Log in as the owner.")
        }
        let client = RuntimeEvent.Client(sender: "", processID: 1, userID: 2, program: "/usr/bin/cat")
        let access = configuration.authorization?(AccessRequest(client: client, feature: "note"))
        #expect(access == .readOnly("Only the owner may change notes. Log in as the owner."))
    }
}
