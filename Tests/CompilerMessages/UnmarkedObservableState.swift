// flags: -default-isolation MainActor
// error: conformance of 'ProfileState' to protocol 'ObservableState' crosses into main actor-isolated code and can cause data races
// error: conformance of 'ProfileState' to protocol '_ObservableParts' crosses into main actor-isolated code and can cause data races
// note: main actor-isolated property '_$id' cannot satisfy nonisolated requirement
import Lattice
import Observation

@ObservableState
struct ProfileState: Equatable, Sendable {
    var name = ""
}
