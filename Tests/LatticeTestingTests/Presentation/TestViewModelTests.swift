import LatticeConcurrency
import LatticeCore
import Testing

@testable import LatticeTesting

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct TestViewModelTests {
    private typealias State = ScoreInteractor.DomainState

    @Test func aSentActionIsAssertedWithItsState() async {
        let viewModel = makeViewModel()
        #expect(viewModel.domainState == State())
        #expect(viewModel.viewState == "0")
        await viewModel.send(.add(2)) { $0.points = 2 }
        await viewModel.send(.nothing)
        let task = await viewModel.send(.add(1)) { $0.points += 1 }
        #expect(task.outcome == .finished)
        #expect(!task.isCancelled)
        viewModel.assertViewState("3")
        await viewModel.finish()
    }

    @Test func actionsOfAnEffectWaitUntilTheyAreReceived() async {
        let viewModel = makeViewModel()
        let task = await viewModel.send(.load) { $0.isLoading = true }
        await task.finish()
        #expect(viewModel.domainState == State(isLoading: true))
        viewModel.assertViewState("0…")
        await viewModel.receive(.loaded(5)) { $0 = State(points: 5) }
        viewModel.assertViewState("5")
        await viewModel.finish()
    }

    @Test func synchronousActionsAreReceivedWithTheStateAfterThem() async {
        let viewModel = makeViewModel()
        await viewModel.send(.double(2)) { $0.points = 2 }
        // The turn has gone on; what is shown has not.
        viewModel.assertViewState("2")
        await viewModel.receive(.add(2)) { $0.points = 4 }
        viewModel.assertViewState("4")
        await viewModel.receive(.loaded(100)) { $0.points = 104 }
        await viewModel.finish()
    }

    @Test func receivingByPredicateAndByCase() async {
        let viewModel = makeViewModel()
        await viewModel.send(.load) { $0.isLoading = true }
        await viewModel.receive {
            $0 == .loaded(5)
        } assert: { state in
            state = State(points: 5)
        }
        await viewModel.send(.load) { $0.isLoading = true }
        await viewModel.receive(\.loaded) { $0 = State(points: 10) }
        await viewModel.finish()
    }

    @Test("An observed stream is received element by element, and its end ends the event (contract 31)")
    func observe() async {
        let (numbers, continuation) = AsyncStream<Int>.makeStream()
        let viewModel = makeViewModel(ScoreInteractor(numbers: { numbers }))
        let task = await viewModel.send(.observe)
        for number in 1...2 {
            continuation.yield(number)
            await viewModel.receive(.add(number)) { $0.points += number }
            await viewModel.send(.add(10)) { $0.points += 10 }
        }
        continuation.finish()
        await task.finish()
        await viewModel.finish()
        #expect(viewModel.domainState.points == 23)
    }

    @Test("A stream is observed when send returns", arguments: 1...20)
    func hotStream(_ run: Int) async {
        // The stream drops elements without a listener.
        let subscriber = Locked<AsyncStream<Int>.Continuation?>(nil)
        let viewModel = makeViewModel(
            ScoreInteractor(numbers: {
                for _ in 0..<run { await Task.yield() }
                return AsyncStream { continuation in subscriber.withLock { $0 = continuation } }
            })
        )
        let task = await viewModel.send(.observe)
        subscriber.withLock(\.self)?.yield(1)
        await viewModel.receive(.add(1)) { $0.points = 1 }
        await task.cancel()
        await viewModel.finish()
    }

    @Test("Steps are received in order (contract 27)")
    func append() async {
        let viewModel = makeViewModel()
        await viewModel.send(.steps([1, 2, 3]))
        for step in 1...3 { await viewModel.receive(.add(step)) { $0.points += step } }
        await viewModel.finish()
    }

    @Test func timeIsATestClocks() async {
        let interactor = ScoreInteractor()
        let viewModel = makeViewModel(interactor)
        await viewModel.send(.search(1))
        await interactor.clock.advance(by: .milliseconds(200))
        // Takes the place of the first.
        await viewModel.send(.search(2))
        await interactor.clock.advance(by: .milliseconds(299))
        #expect(viewModel.received.isEmpty)
        await interactor.clock.advance(by: .milliseconds(1))
        await viewModel.receive(.add(2), timeout: .zero) { $0.points = 2 }
        await viewModel.finish()
    }

    @Test func aTaskStandsForTheWholeTree() async {
        let gate = Signal()
        let viewModel = makeViewModel(
            ScoreInteractor(load: {
                await gate.wait()
                return 5
            })
        )
        let task = await viewModel.send(.loadTwice)
        await viewModel.receive(.load) { $0.isLoading = true }
        #expect(task.outcome == nil)
        gate.open()
        await task.finish()
        #expect(task.outcome == .finished)
        await viewModel.receive(.loaded(5)) { $0 = State(points: 5) }
        await viewModel.finish()
    }

    @Test func followUpsBelongToTheirEvent() async {
        let viewModel = makeViewModel()
        await viewModel.send(.add(1)) { $0.points = 1 }
        let task = await viewModel.send(.loadTwice)
        await task.finish()
        #expect(viewModel.received.map(\.handled.event) == [2, 2])
        #expect(viewModel.received.map(\.handled.isSent) == [false, false])
        await viewModel.skipReceivedActions()
    }

    @Test func cancellingATaskEndsItsFollowUps() async {
        let ended = Signal()
        let viewModel = makeViewModel(
            ScoreInteractor(load: {
                for await _ in AsyncStream<Never>.makeStream().stream {}
                ended.open()
                return nil
            })
        )
        let task = await viewModel.send(.loadTwice)
        await viewModel.receive(.load) { $0.isLoading = true }
        await task.cancel()
        #expect(task.isCancelled)
        #expect(task.outcome == .cancelled)
        await ended.wait()
        await viewModel.finish()
    }

    @Test func skipping() async {
        let viewModel = makeViewModel()
        let task = await viewModel.send(.steps([1, 2, 3]))
        await task.finish()
        await viewModel.skipReceivedActions()
        #expect(viewModel.domainState == State(points: 6))
        viewModel.assertViewState("6")
        await viewModel.send(.wait)
        await viewModel.skipInFlightEffects()
        await viewModel.skipReceivedActions(strict: false)
        await viewModel.skipInFlightEffects(strict: false)
        await viewModel.finish()
    }

    @Test func withExhaustivityOffMoreMayHappen() async {
        let viewModel = makeViewModel()
        viewModel.exhaustivity = .off()
        await viewModel.send(.load).finish()
        await viewModel.send(.steps([1, 2])) { $0.isLoading = false }
        await viewModel.receive(.add(2)) { $0.points = 8 }
        await viewModel.send(.load)
        await viewModel.receive(\.loaded)
        #expect(viewModel.domainState == State(points: 13))
        await viewModel.send(.wait)
        await viewModel.finish(timeout: .milliseconds(10))
    }

    @Test("Finish also waits for effects of later actions (W2)")
    func finishWaitsForTheWholeTree() async {
        let viewModel = makeViewModel()
        viewModel.exhaustivity = .off()
        await viewModel.send(.loadTwice)
        await viewModel.finish()
        #expect(viewModel.domainState == State(points: 5))
    }

    @Test func aTaskKeepsItsViewModel() async {
        let messages = await collectMessages {
            var viewModel: TestViewModel<ScoreFeature>? = makeViewModel()
            let task = await viewModel?.send(.wait)
            viewModel = nil
            #expect(task?.outcome == nil)
            await task?.cancel()
        }
        #expect(messages == [])
    }

    @Test func statesThatAreNotEquatableAreComparedByTheFeature() async {
        struct Opaque: Sendable { var value = 0 }
        let feature = Feature<Int, Opaque, Int>(
            interactor: Interact<Opaque, Int> { state, action in
                state.value += action
                return .none
            },
            reducer: BuildViewState<Opaque, Int>(initial: { _ in 0 }, reducerBlock: { $1 = $0.value }),
            areStatesEqual: { $0.value == $1.value }
        )
        let viewModel = TestViewModel(initialDomainState: Opaque(), feature: feature)
        await viewModel.send(2) { $0.value = 2 }
        viewModel.assertViewState(2)
        await viewModel.finish()
    }

    @Test func aFeatureThatDistinguishesNoStatesIsStillComparedByEquality() async {
        let feature = Feature<Int, Int, Int>(
            interactor: Interact<Int, Int> { state, action in
                state += action
                return .none
            },
            areStatesEqual: { _, _ in true }
        )
        let viewModel = TestViewModel(initialDomainState: 1, feature: feature)
        await viewModel.send(2) { $0 = 3 }
        // As in a view model: nothing changed, nothing is reduced.
        viewModel.assertViewState(1)
        await viewModel.finish()
    }
}
