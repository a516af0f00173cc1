import LatticeCore
import Testing

private struct Count: Codable, Equatable, Sendable {
    var value = 0
}

private enum CountFeature: HostedFeature {
    typealias Action = Int
    static let identifier = "count"
    static func initialDomainState(in context: HostContext) -> Count { Count() }

    static func interactor(in context: HostContext) -> some Interactor<Count, Int> & Sendable { EmptyInteractor() }

    static func reducer() -> some ViewStateReducer<Count, Count> & Sendable {
        BuildViewState(initial: { $0 }, reducerBlock: { $1 = $0 })
    }
}

#if DEBUG
// Nothing here suspends: the limit is everybody's, and other tests that make view models have to wait.
@MainActor
@Suite struct ReinitializationDetectionTests {
    private typealias Model = ViewModel<Feature<Int, Count, Count>>

    private func makeModel() -> Model {
        ViewModel(initialDomainState: Count(), feature: Feature(interactor: EmptyInteractor()), line: 7)
    }

    private func withLimit(_ limit: Int, _ body: () -> Void) {
        ReinitializationDetection.limit = limit
        defer { ReinitializationDetection.limit = nil }
        body()
    }

    @Test func offUnlessAskedFor() {
        #expect(ReinitializationDetection.limit == nil)
        for _ in 0..<100 { _ = makeModel() }
    }

    @Test func reportedOncePerPlace() {
        withLimit(3) {
            for _ in 0..<3 { _ = makeModel() }
            withKnownIssue {
                _ = makeModel()
            } matching: {
                $0.description.hasSuffix(
                    """
                    4 view models have been created at LatticeCoreTests/ReinitializationDetectionTests.swift:7. Of \
                    these, 1 still exists. A new view model starts from its initial state, and the effects of the \
                    previous one are cancelled. Create it once and keep it while it is shown: in @State, or in a \
                    property of its owner. If each of them shows something different, like the rows of a list, this is \
                    not a mistake. In that case, raise ReinitializationDetection.limit.
                    """
                )
            }
            for _ in 0..<10 { _ = makeModel() }
        }
    }

    @Test("A list with a view model for each row is reported too, with the number of view models")
    func falsePositive() {
        withLimit(2) {
            var models = [makeModel(), makeModel()]
            withKnownIssue {
                models.append(makeModel())
            } matching: {
                $0.description.contains("3 view models have been created")
                    && $0.description.contains("Of these, 3 still exist.")
            }
        }
    }

    @Test func otherPlacesAreCountedApart() {
        withLimit(1) {
            _ = makeModel()
            _ = ViewModel(inProcess: CountFeature.self)
            _ = ViewModel(inProcess: CountFeature.self)
            for number in 0..<2 {
                withKnownIssue {
                    _ = ViewModel(inProcess: CountFeature.self)
                } when: {
                    number == 1
                }
            }
        }
    }

    @Test func settingTheLimitRestartsTheCount() {
        withLimit(1) {
            _ = makeModel()
            ReinitializationDetection.limit = 1
            _ = makeModel()
        }
    }
}
#endif
