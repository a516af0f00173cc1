// flags: -default-isolation MainActor
// error: conformance of 'ProfileInteractor' to protocol 'Interactor' crosses into main actor-isolated code and can cause data races
// note: main actor-isolated property 'body' cannot satisfy nonisolated requirement
import Lattice

nonisolated struct ProfileState: Equatable, Sendable { var name = "" }
nonisolated enum ProfileAction: Sendable { case nameChanged(String) }

@Interactor<ProfileState, ProfileAction>
struct ProfileInteractor: Sendable {
    var body: some InteractorOf<Self> {
        EmptyInteractor()
    }
}
