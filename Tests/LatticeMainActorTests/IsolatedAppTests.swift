import Lattice
import LatticeTesting
import Observation
import Testing

// This target is built as new app targets are: what does not say otherwise belongs to the main actor.

// The block of Isolation.md.

@ObservableState
nonisolated struct ProfileState: Equatable, Sendable {
    var name = ""
    var visits = 0
}

@CasePathable
nonisolated enum ProfileAction: Equatable, Sendable {
    case nameChanged(String)
    case load
    case loaded(String)
}

nonisolated struct ProfileAPI: Sendable {
    var load: @Sendable () async throws -> String
}

@Interactor<ProfileState, ProfileAction>
nonisolated struct ProfileInteractor: Sendable {
    var api: ProfileAPI

    var body: some InteractorOf<Self> {
        Interact { state, action in
            switch action {
            case .nameChanged(let name), .loaded(let name):
                state.name = name
                state.visits += 1
                return .none
            case .load:
                return .perform { .loaded(try await api.load()) }
            }
        }
    }
}

final class ProfileScreen {
    let viewModel = ViewModel(
        initialDomainState: ProfileState(),
        feature: Feature(interactor: ProfileInteractor(api: ProfileAPI { "Ada" }))
    )

    func appear() async -> EventOutcome {
        await viewModel.sendViewEvent(.load).finish()
    }
}

// Other declarations that the macros write.

@ObservableState @CasePathable
nonisolated enum ScreenState: Equatable, Sendable, DefaultValueProvider {
    case empty
    case profile(ProfileState)
    case pair(Int, String)

    static let defaultValue = ScreenState.empty
}

@Patchable
nonisolated struct PageState: Sendable {
    let number: Int
    var progress = PageProgress.idle
}

@Patchable
nonisolated enum PageProgress: Sendable {
    case idle, running(steps: [Int])
}

/// The interactor's types inside it, and the method instead of a body.
@Interactor
nonisolated struct NestedInteractor: Sendable {
    struct DomainState: Equatable, Sendable {
        var profile = ProfileState()
        var log: [String] = []
    }

    @CasePathable
    enum Action: Equatable, Sendable {
        case profile(ProfileAction)
        case clear
    }

    var body: some InteractorOf<Self> {
        Method().when(state: \.profile, action: \.profile) { ProfileInteractor(api: ProfileAPI { "Bea" }) }
    }
}

@Interactor<NestedInteractor.DomainState, NestedInteractor.Action>
private nonisolated struct Method: Sendable {
    func interact(
        state: inout NestedInteractor.DomainState,
        action: NestedInteractor.Action
    ) -> Emission<NestedInteractor.Action> {
        switch action {
        case .profile: state.log.append(state.profile.name)
        case .clear: state.log = []
        }
        return .none
    }
}

/// Starts from the default value of the view state.
@ViewStateReducer<NestedInteractor.DomainState, ScreenState>
nonisolated struct ScreenReducer: Sendable {
    var body: some ViewStateReducerOf<Self> {
        Self.buildViewState { state, viewState in
            viewState = state.log.isEmpty ? .empty : .profile(state.profile)
        }
    }
}

@ViewStateReducer<ProfileState, String>
nonisolated struct NameReducer: Sendable {
    func initialViewState(for domainState: ProfileState) -> String { "" }

    func reduce(_ domainState: ProfileState, into viewState: inout String) {
        viewState = "\(domainState.name), \(domainState.visits)"
    }
}

/// Unmarked declarations belong to the main actor, including the actions of a view that only names cases.
@CasePathable
enum UnmarkedAction: Equatable {
    case open(Int)
}

nonisolated enum TalksFeature: HostedFeature {
    @ObservableState
    struct DomainState: Codable, Equatable, Sendable {
        var talks: [Talk] = []
    }

    @ObservableState
    struct Talk: Codable, Equatable, Identifiable, Sendable {
        let id: Int
        var title = ""
    }

    @CasePathable
    enum Action: Codable, Equatable, Sendable {
        case load
        case loaded([Talk])
    }

    static let identifier = "talks"
    static func initialDomainState(in context: HostContext) -> DomainState { DomainState() }

    static func interactor(in context: HostContext) -> TalksInteractor { TalksInteractor() }
    static func reducer() -> TalksReducer { TalksReducer() }
}

@Interactor<TalksFeature.DomainState, TalksFeature.Action>
nonisolated struct TalksInteractor: Sendable {
    var body: some InteractorOf<Self> {
        Interact { state, action in
            switch action {
            case .load:
                return .perform { .loaded([TalksFeature.Talk(id: 1, title: "one")]) }
            case .loaded(let talks):
                state.talks = talks
                return .none
            }
        }
    }
}

@ViewStateReducer<TalksFeature.DomainState, TalksFeature.DomainState>
nonisolated struct TalksReducer: Sendable {
    var body: some ViewStateReducerOf<Self> {
        BuildViewState(initial: { $0 }) { $1 = $0 }
    }
}

/// The macros in a module whose default isolation is the main actor.
@Suite(.timeLimit(.minutes(10)))
struct IsolatedAppTests {
    @Test("A feature of nonisolated types runs in a module that defaults to the main actor")
    func theFeatureRuns() async {
        let screen = ProfileScreen()
        #expect(await screen.appear() == .finished)
        #expect(screen.viewModel.name == "Ada")
        #expect(screen.viewModel.visits == 1)
    }

    @Test func propertiesAreObservedOneByOne() {
        let viewModel = ProfileScreen().viewModel
        var heard: [String] = []
        func observe(_ name: String, _ read: () -> Void) {
            withObservationTracking(read) { MainActor.assumeIsolated { heard.append(name) } }
        }
        observe("name") { _ = viewModel.name }
        observe("visits") { _ = viewModel.visits }
        viewModel.sendViewEvent(.nameChanged(""))
        #expect(heard == ["visits"])
    }

    @Test func nestedTypesChildrenAndEnumsOfStates() {
        let viewModel = ViewModel(
            initialDomainState: NestedInteractor.DomainState(),
            feature: Feature(interactor: NestedInteractor(), reducer: ScreenReducer())
        )
        #expect(viewModel.viewState == .empty)
        viewModel.sendViewEvent(.profile(.nameChanged("Cleo")))
        #expect(viewModel.viewState == .profile(ProfileState(name: "Cleo", visits: 1)))
        viewModel.sendViewEvent(.clear)
        #expect(viewModel.viewState.is(\.empty))
    }

    @Test func aReducerOfItsOwn() {
        let viewModel = ViewModel(
            initialDomainState: ProfileState(),
            feature: Feature(interactor: ProfileInteractor(api: ProfileAPI { "" }), reducer: NameReducer())
        )
        viewModel.sendViewEvent(.loaded("Dora"))
        #expect(viewModel.viewState == "Dora, 1")
    }

    @Test func casePathsNeedNoMark() {
        #expect(UnmarkedAction.open(1)[case: \.open] == 1)
    }

    @Test("Such a feature's tests send, receive and assert as elsewhere, in both placements")
    func aHostedFeature() async throws {
        for placement in TestPlacement.allCases {
            try await withTestViewModel(of: TalksFeature.self, placement: placement, timeout: .seconds(30)) {
                viewModel in
                await viewModel.send(.load)
                await viewModel.receive(\.loaded) { $0.talks = [TalksFeature.Talk(id: 1, title: "one")] }
            }
        }
    }

    @Test("An interactor of a main-actor module runs off the main actor")
    nonisolated func offTheMainActor() {
        var state = ProfileState()
        _ = ProfileInteractor(api: ProfileAPI { "" }).interact(state: &state, action: .loaded("Eva"))
        #expect(state == ProfileState(name: "Eva", visits: 1))
    }

    @Test nonisolated func patchesAreMadeOffTheMainActor() throws {
        let old = PageState(number: 1, progress: .running(steps: [1]))
        var changed = old
        let new = PageState(number: 1, progress: .running(steps: [1, 2]))
        try changed.apply(try #require(try new.patch(from: old)))
        #expect(changed == new)
    }
}
