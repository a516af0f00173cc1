// The only import of the library: what stands in LatticeCore comes along.
import Lattice
import Testing

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct ReexportTests {
    @Test("A view model needs only Observation, which every platform has (W10)")
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
