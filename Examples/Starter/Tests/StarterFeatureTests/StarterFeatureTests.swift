import LatticeCore
import StarterFeature
import Testing

/// The feature in the process of the tests. It needs no worker.
@MainActor struct StarterFeatureTests {
    @Test("Numbers are added, at once and later")
    func adding() async {
        let viewModel = ViewModel(inProcess: StarterFeature.self)
        #expect(await viewModel.sendViewEvent(.add(2)).finish() == .finished)
        #expect(await viewModel.sendViewEvent(.addLater(3)).finish() == .finished)
        #expect(viewModel.viewState == "sum 5")
    }
}
