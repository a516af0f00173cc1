// The only import of the library: what stands in LatticeCore comes along.
import Lattice
import Testing

@MainActor
@Suite(.timeLimit(.minutes(3)))
struct ReexportTests {
    @Test("W10: a view model needs nothing but Observation, which is there on every platform")
    func theDataFlowComesWithLattice() async {
        let interactor = Interact<Int, Int> { state, action in
            state += action
            return .none
        }
        let viewModel = ViewModel(initialDomainState: 1, feature: Feature(interactor: interactor))
        #expect(await viewModel.sendViewEvent(2).finish() == .finished)
        #expect(viewModel.viewState == 3)
    }
}
