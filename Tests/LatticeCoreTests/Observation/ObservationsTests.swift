import LatticeCore
import Observation
import Testing

private struct Domain: Equatable, Sendable {
    var title = ""
    var count = 0
}

private enum Action: Sendable {
    case title(String)
    case add(Int)
    case twice(Int)
}

/// Observation of a feature that runs, with the means of the standard library.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct ObservationsTests {
    private typealias Model = ViewModel<Feature<Action, Domain, Board>>

    private func makeModel(_ reductions: Shared<Int> = Shared(0)) -> Model {
        ViewModel(
            initialDomainState: Domain(),
            feature: Feature(
                interactor: Interact<Domain, Action> { state, action in
                    switch action {
                    case .title(let title): state.title = title
                    case .add(let number): state.count += number
                    case .twice(let number): return .merge(.action(.add(number)), .action(.add(number)))
                    }
                    return .none
                },
                reducer: BuildViewState<Domain, Board>(initial: { _ in Board() }) { domain, board in
                    reductions.increment()
                    board.title = domain.title
                    board.detail = Detail(text: board.detail.text, count: domain.count)
                }
            )
        )
    }

    @Test func observationsOfOneProperty() async {
        let viewModel = makeModel()
        let counts = Observations { viewModel.detail.count }
        var iterator = counts.makeAsyncIterator()
        #expect(await iterator.next() == 0)
        viewModel.sendViewEvent(.title("not heard"))
        viewModel.sendViewEvent(.twice(2))
        #expect(await iterator.next() == 4)
        viewModel.sendViewEvent(.add(0))
        viewModel.sendViewEvent(.add(1))
        #expect(await iterator.next() == 5)
    }

    @Test("One turn reduces once, and notifies each reader of a difference once (contracts 40, 47, W18)")
    func onceATurn() {
        let reductions = Shared(0)
        let viewModel = makeModel(reductions)
        let readers: [(String, () -> Void)] = [
            ("title", { _ = viewModel.title }),
            ("count", { _ = viewModel.detail.count }),
            ("both", { _ = (viewModel.title, viewModel.detail.count) }),
        ]
        #expect(reductions.value == 1)
        #expect(whoHears(readers) { viewModel.sendViewEvent(.twice(1)) } == ["both", "count"])
        #expect(reductions.value == 2)
        #expect(whoHears(readers) { viewModel.sendViewEvent(.add(0)) } == [])
        #expect(reductions.value == 3)
        #expect(whoHears(readers) { viewModel.sendViewEvent(.title("a")) } == ["both", "title"])
        #expect(reductions.value == 4)
    }

    @Test("A send from an observer of a property is handled after the turn, and overwrites nothing (W17)")
    func sendsFromObservers() async {
        let viewModel = makeModel()
        let tasks = Shared<[EventTask]>([])
        withObservationTracking {
            _ = viewModel.detail.count
        } onChange: {
            MainActor.assumeIsolated {
                let task = viewModel.sendViewEvent(.add(10))
                tasks.update { $0.append(task) }
                // Neither the outer turn is shown yet, nor is the inner one handled.
                #expect(viewModel.detail.count == 0)
            }
        }
        viewModel.sendViewEvent(.add(1))
        #expect(viewModel.detail.count == 11)
        #expect(await tasks.value[0].finish() == .finished)
    }

    @Test("Observers are not notified while the interactor runs, also in the direct pattern (W17)")
    func sendsFromObserversInTheDirectPattern() {
        let isInside = Shared(false)
        let viewModel = ViewModel(
            initialDomainState: Board(),
            feature: Feature(
                interactor: Interact<Board, Int> { board, action in
                    isInside.update { $0 = true }
                    board.detail.count += action
                    board.detail.count += 0
                    isInside.update { $0 = false }
                    return .none
                }
            )
        )
        let heard = Shared<[Bool]>([])
        withObservationTracking {
            _ = viewModel.detail.count
        } onChange: {
            MainActor.assumeIsolated {
                heard.update { $0.append(isInside.value) }
                viewModel.sendViewEvent(10)
            }
        }
        viewModel.sendViewEvent(0)
        #expect(heard.value == [])
        viewModel.sendViewEvent(1)
        #expect(heard.value == [false])
        #expect(viewModel.detail.count == 11)
        #expect(whoHears([("title", { _ = viewModel.title })]) { viewModel.sendViewEvent(1) } == [])
        #expect(whoHears([("count", { _ = viewModel.detail.count })]) { viewModel.sendViewEvent(1) } == ["count"])
    }

    @Test("A plain state is observed as a whole")
    func plainStates() async {
        let viewModel = ViewModel(
            initialDomainState: Domain(),
            feature: Feature(
                interactor: Interact<Domain, Int> { state, action in
                    state.count += action
                    return .none
                }
            )
        )
        let readers: [(String, () -> Void)] = [
            ("whole", { _ = viewModel.viewState }), ("title", { _ = viewModel.title }),
            ("count", { _ = viewModel.count }),
        ]
        #expect(whoHears(readers) { viewModel.sendViewEvent(1) } == ["count", "title", "whole"])
        #expect(whoHears(readers) { viewModel.sendViewEvent(0) } == [])
        var iterator = Observations { viewModel.viewState }.makeAsyncIterator()
        #expect(await iterator.next() == Domain(count: 1))
        viewModel.sendViewEvent(1)
        #expect(await iterator.next() == Domain(count: 2))
    }

    @Test("The first view state is created and then reduced once (contract 45)")
    func firstState() {
        let reductions = Shared(0)
        let viewModel = makeModel(reductions)
        #expect(reductions.value == 1)
        #expect(viewModel.viewState == Board())
    }
}
