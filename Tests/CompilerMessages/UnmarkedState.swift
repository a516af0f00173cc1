// flags: -default-isolation MainActor
// error: main actor-isolated conformance of 'ProfileState' to 'Equatable' cannot satisfy conformance requirement
import Lattice

struct ProfileState: Equatable, Sendable { var name = "" }
nonisolated enum ProfileAction: Sendable { case nameChanged(String) }

@Interactor<ProfileState, ProfileAction>
nonisolated struct ProfileInteractor: Sendable {
    var body: some InteractorOf<Self> {
        EmptyInteractor()
    }
}

let feature = Feature(interactor: ProfileInteractor())
