import LatticeCore
import LatticeTesting
import Testing

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct TestViewModelViewStateTests {
    /// Counts how often it was asked, so that the number of reductions shows.
    private let feature = Feature<Int, Int, [Int]>(
        interactor: Interact<Int, Int> { state, action in
            state += action
            return action > 10 ? .merge([.action(1), .action(0)]) : .none
        },
        reducer: BuildViewState<Int, [Int]>(initial: { _ in [] }, reducerBlock: { $1.append($0) })
    )

    @Test func aTurnEndsWithTheViewStateOfAViewModel() async {
        let viewModel = ViewModel(initialDomainState: 0, feature: feature)
        let testViewModel = TestViewModel(initialDomainState: 0, feature: feature)
        testViewModel.exhaustivity = .off()
        for action in [1, 20, 0, 3] {
            viewModel.sendViewEvent(action)
            await testViewModel.send(action)
            await testViewModel.skipReceivedActions(strict: false)
            #expect(testViewModel.viewState == viewModel.viewState)
        }
        #expect(viewModel.viewState == [0, 1, 22, 22, 25])
    }

    @Test func withinATurnEachActionHasItsViewState() async {
        let viewModel = TestViewModel(initialDomainState: 0, feature: feature)
        await viewModel.send(20) { $0 = 20 }
        viewModel.assertViewState([0, 20])
        await viewModel.receive(1) { $0 = 21 }
        viewModel.assertViewState([0, 21])
        await viewModel.receive(0)
        viewModel.assertViewState([0, 21])
        await viewModel.finish()
    }
}
