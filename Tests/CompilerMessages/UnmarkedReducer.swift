// flags: -default-isolation MainActor
// error: conformance of 'ProfileReducer' to protocol 'ViewStateReducer' crosses into main actor-isolated code and can cause data races
// note: main actor-isolated instance method 'reduce(_:into:)' cannot satisfy nonisolated requirement
import Lattice

nonisolated struct ProfileState: Equatable, Sendable { var name = "" }

@ViewStateReducer<ProfileState, String>
struct ProfileReducer: Sendable {
    nonisolated func initialViewState(for domainState: ProfileState) -> String { "" }
    func reduce(_ domainState: ProfileState, into viewState: inout String) {}
}
