// flags: -default-isolation MainActor
// error: call to main actor-isolated instance method
import Lattice

nonisolated struct ProfileState: Equatable, Sendable { var name = "" }
nonisolated enum ProfileAction: Sendable { case load, loaded(String) }
struct ProfileAPI: Sendable {
    func load() -> String { "" }
}

@Interactor<ProfileState, ProfileAction>
nonisolated struct ProfileInteractor: Sendable {
    let api: ProfileAPI

    var body: some InteractorOf<Self> {
        Interact { state, action in
            state.name = api.load()
            return .none
        }
    }
}
