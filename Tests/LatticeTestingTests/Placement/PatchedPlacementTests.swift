import LatticeCore
import LatticeTestSupport
import Testing

@testable import LatticeTesting

/// States that travel as changes, with conformances by hand.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct PatchedPlacementTests {
    private func firstLines(
        _ body: @MainActor (TestViewModel<PatchedFeature>) async -> Void,
        line: UInt = #line
    ) async throws -> [String] {
        let issues = try await collectIssues {
            try await withTestViewModel(
                of: PatchedFeature.self,
                placement: .memoryWorker,
                timeout: .seconds(120),
                line: line,
                body
            )
        }
        return issues.map { "\($0.line - line): \($0.message.prefix { $0 != "," && $0 != ":" && $0 != "\n" })" }
    }

    private static let wrong = "The patch of the state after this action leads to another state"

    @Test("A correct conformance is accepted", arguments: TestPlacement.allCases)
    func right(placement: TestPlacement) async throws {
        try await withTestViewModel(of: PatchedFeature.self, placement: placement, timeout: .seconds(120)) {
            viewModel in
            await viewModel.send(.count) { $0.count = 1 }
            await viewModel.send(.twice) { $0.count = 2 }
            await viewModel.receive(.count) { $0.count = 3 }
            await viewModel.finish()
        }
    }

    @Test("A property that a patch leaves out fails the test at the assertion of the change")
    func leftOut() async throws {
        let lines = try await firstLines { viewModel in
            await viewModel.send(.forget("a")) { $0.forgotten = "a" }
            await viewModel.send(.count) { $0.count = 1 }
        }
        #expect(lines == ["1: \(Self.wrong)"])
    }

    @Test("A property that a patch leaves out fails the test also without an assertion")
    func notAsserted() async throws {
        let lines = try await firstLines { viewModel in
            viewModel.exhaustivity = .off()
            await viewModel.send(.count)
            await viewModel.send(.forget("a"))
        }
        #expect(lines == ["3: \(Self.wrong)"])
    }

    @Test("A patch that cannot be applied is reported") func unusable() async throws {
        let lines = try await firstLines { viewModel in
            viewModel.exhaustivity = .off()
            await viewModel.send(.rename("a"))
        }
        #expect(lines == ["2: The state after this action cannot be reached by a patch"])
    }

    @Test("Patches of the view state are checked in the same way") func viewState() async throws {
        let lines = try await firstLines { viewModel in
            await viewModel.send(.show) { $0.count = 100 }
        }
        #expect(lines == ["1: \(Self.wrong)"])
    }

    @Test("A patch is right if it leads to the same bytes, also with values that are not equal to themselves")
    func rightBytes() {
        let old = Measured(ratio: .nan, name: "a", cache: 1)
        #expect(patchProblem(from: old, to: Measured(ratio: .nan, name: "b", cache: 2), after: 0) == nil)
        #expect(patchProblem(from: old, to: Measured(ratio: 1, name: "a", cache: 1), after: 0) == nil)
    }

    @Test("A patch is wrong if it leaves out a property that `==` ignores") func wrongBytes() {
        let old = Loose(number: 1, name: "a")
        #expect(patchProblem(from: old, to: Loose(number: 2, name: "a"), after: 0) == nil)
        #expect(patchProblem(from: old, to: Loose(number: 2, name: "b"), after: 0) != nil)
    }
}

/// A value with a number that may be NaN, and a part that is not encoded.
private struct Measured: Patchable, Sendable {
    var ratio: Double
    var name: String
    var cache = 0

    enum CodingKeys: String, CodingKey {
        case ratio, name
    }

    func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
        try patch.field("ratio", from: old.ratio, to: ratio)
        try patch.field("name", from: old.name, to: name)
    }

    mutating func apply(_ patch: inout PatchDecoder) throws {
        try patch.fields { name, patch in
            switch name {
            case "ratio": try patch.apply(to: &ratio)
            case "name": try patch.apply(to: &self.name)
            default: throw patch.unknownField(name)
            }
        }
    }
}

/// Equal whatever its name is.
private struct Loose: Patchable, Sendable {
    var number: Int
    var name: String

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.number == rhs.number }

    func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
        try patch.field("number", from: old.number, to: number)
    }

    mutating func apply(_ patch: inout PatchDecoder) throws {
        try patch.fields { name, patch in
            guard name == "number" else { throw patch.unknownField(name) }
            try patch.apply(to: &number)
        }
    }
}

private enum PatchedFeature: HostedFeature {
    enum Action: Codable, Sendable, Equatable {
        case count
        /// Counts once more by an action of its own.
        case twice
        case forget(String)
        case rename(String)
        /// Changes what the view state shows.
        case show
    }

    struct DomainState: Patchable, Sendable {
        var count = 0
        /// A property that the patch functions leave out.
        var forgotten = ""
        /// Patches have it under another name than they are read by.
        var name = ""

        func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
            try patch.field("count", from: old.count, to: count)
            try patch.field("nome", from: old.name, to: name)
        }

        mutating func apply(_ patch: inout PatchDecoder) throws {
            try patch.fields { name, patch in
                switch name {
                case "count": try patch.apply(to: &count)
                case "name": try patch.apply(to: &self.name)
                default: throw patch.unknownField(name)
                }
            }
        }
    }

    struct ViewState: Patchable, Sendable {
        var hundreds = 0

        func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {}
    }

    static let identifier = "patched"
    static func initialDomainState(in context: HostContext) -> DomainState { DomainState() }

    static func interactor(in context: HostContext) -> Interact<DomainState, Action> {
        Interact { state, action in
            switch action {
            case .count: state.count += 1
            case .twice:
                state.count += 1
                return .action(.count)
            case .forget(let text): state.forgotten = text
            case .rename(let name): state.name = name
            case .show: state.count = 100
            }
            return .none
        }
    }

    static func reducer() -> BuildViewState<DomainState, ViewState> {
        BuildViewState(initial: { _ in ViewState() }) { state, view in view.hundreds = state.count / 100 }
    }
}
