import LatticeCore
import Testing

/// A feature without ``Feature``: its types follow from its properties, and its closures need not be Sendable.
private struct Handwritten: FeatureProtocol {
    let interactor: AnyInteractor<Int, Int>
    let viewStateReducer: AnyViewStateReducer<Int, String>
    let makeInitialViewState: (Int) -> String
    let areStatesEqual: (Int, Int) -> Bool
}

@MainActor
struct FeatureProtocolTests {
    @Test func aFeatureCanBeWrittenByHand() {
        var comparisons = 0
        let feature = Handwritten(
            interactor: Interact<Int, Int> { state, action in
                state += action
                return .none
            }
            .eraseToAnyInteractor(),
            viewStateReducer: BuildViewState<Int, String>(initial: { _ in "" }) { $1 += "\($0) " }.eraseToAnyReducer(),
            makeInitialViewState: { "from \($0): " },
            areStatesEqual: {
                comparisons += 1
                return $0 / 10 == $1 / 10
            }
        )
        let viewModel = ViewModel(initialDomainState: 1, feature: feature)
        for action in [1, 10, 1] { viewModel.sendViewEvent(action) }
        #expect(viewModel.viewState == "from 1: 1 12 ")
        #expect(comparisons == 3)
    }
}
