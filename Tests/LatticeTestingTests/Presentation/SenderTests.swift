import LatticeCore
import LatticeTesting
import Testing

/// A feature that notes who sends its events.
private enum VisitorFeature: HostedFeature {
    enum Action: Codable, Sendable, Equatable {
        case visit
        case noted(String)
    }

    static let identifier = "visitors"
    static func initialDomainState(in context: HostContext) -> [String] { [] }

    static func interactor(in context: HostContext) -> Interact<[String], Action> {
        Interact { visitors, action in
            switch action {
            case .visit:
                visitors.append(Self.visitor)
                return .perform { .noted(Self.visitor) }
            case .noted(let visitor):
                visitors.append(visitor)
                return .none
            }
        }
    }

    static func reducer() -> BuildViewState<[String], [String]> {
        BuildViewState(initial: { $0 }) { state, shown in shown = state }
    }

    static var visitor: String {
        switch EventContext.current?.sender {
        case .client(let client):
            "\(client.sender.count) \(client.processID ?? 0) \(client.userID ?? 0) \(client.program ?? "-")"
        case let other?: "\(other)"
        case nil: "nothing"
        }
    }
}

/// Tests that a test chooses the sender of its events.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct SenderTests {
    private let alice = RuntimeEvent.Client(sender: "alice", processID: 712, userID: 1000, program: "/bin/notes")
    private let bob = RuntimeEvent.Client(sender: "bob", processID: 713, userID: 0)

    @Test(
        "A feature sees the sender that the test sets, in this process and in a worker",
        arguments: TestPlacement.allCases
    )
    func placements(placement: TestPlacement) async throws {
        try await withTestViewModel(of: VisitorFeature.self, placement: placement) { viewModel in
            let table: [(EventSource, String)] = [
                (.program, "the program"), (.client(alice), "32 712 1000 /bin/notes"), (.client(bob), "32 713 0 -"),
                (.feature, "the feature"), (.client(alice), "32 712 1000 /bin/notes"),
            ]
            for (sender, visitor) in table {
                viewModel.sender = sender
                await viewModel.send(.visit) { $0.append(visitor) }
                await viewModel.receive(.noted(visitor)) { $0.append(visitor) }
            }
        }
    }

    @Test("An interactor sees the sender that the test sets")
    func harness() async {
        let harness = InteractorTestHarness(
            initialState: [],
            interactor: VisitorFeature.interactor(in: HostContext())
        )
        harness.sender = .client(bob)
        await harness.sendAndAwait(.visit)
        #expect(harness.currentState == ["32 713 0 -", "32 713 0 -"])
    }
}
