import LatticeCore
import Observation
import Testing

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct ViewStatesTests {
    @Test func thePresentOneThenEachChange() async {
        let (viewModel, engine) = makeShown([1])
        engine.update { $0 = [2] }
        var states = viewModel.viewStates.makeAsyncIterator()
        #expect(await states.next() == [2])
        for value in 3...5 {
            engine.update { $0 = [value] }
            #expect(await states.next() == [value])
        }
    }

    @Test func aWaitingReaderIsWoken() async {
        let (viewModel, engine) = makeShown([1])
        let started = Gate()
        let reader = Task { [states = viewModel.viewStates] in
            var seen: [[Int]] = []
            for await state in states {
                seen.append(state)
                if seen.count == 1 { started.open() }
                if seen.count == 2 { break }
            }
            return seen
        }
        await started.wait()
        engine.update { $0 = [2] }
        #expect(await reader.value == [[1], [2]])
    }

    @Test func aSlowReaderGetsTheLatest() async {
        let (viewModel, engine) = makeShown([0])
        var states = viewModel.viewStates.makeAsyncIterator()
        #expect(await states.next() == [0])
        for value in 1...1000 { engine.update { $0 = [value] } }
        #expect(await states.next() == [1000])
    }

    @Test func equalStatesAreNotRepeated() async {
        let (viewModel, engine) = makeShown([1])
        var states = viewModel.viewStates.makeAsyncIterator()
        #expect(await states.next() == [1])
        engine.update { $0 = [1] }
        engine.update { $0 = [2] }
        #expect(await states.next() == [2])
    }

    @Test("An observable view state also delivers every change of a property, observed or not")
    func observableStates() async {
        let (viewModel, engine) = makeShown(Board(rows: [Row(1, "a")]))
        var states = viewModel.viewStates.makeAsyncIterator()
        #expect(await states.next() == Board(rows: [Row(1, "a")]))
        engine.update { $0.rows[0].name = "b" }
        #expect(await states.next()?.rows[0].name == "b")
        engine.update { $0 = Board(rows: [Row(1, "b")]) }
        engine.update { $0 = Board(id: 4) }
        #expect(await states.next() == Board(id: 4))
    }

    @Test func everyReaderReadsByItself() async {
        let (viewModel, engine) = makeShown([1])
        let sequence = viewModel.viewStates
        var first = sequence.makeAsyncIterator()
        #expect(await first.next() == [1])
        engine.update { $0 = [2] }
        var second = sequence.makeAsyncIterator()
        #expect(await second.next() == [2])
        #expect(await first.next() == [2])
        engine.update { $0 = [3] }
        #expect(await second.next() == [3])
        #expect(await first.next() == [3])
    }

    @Test func readingDoesNotKeepTheViewModelAndEndsWithIt() async {
        var model: ViewModel<Shown<[Int]>>? = makeShown([1]).viewModel
        weak let weakModel = model
        let started = Gate()
        let reader = Task { [states = model?.viewStates] in
            var seen: [[Int]] = []
            guard let states else { return seen }
            for await state in states {
                seen.append(state)
                started.open()
            }
            return seen
        }
        await started.wait()
        model = nil
        #expect(weakModel == nil)
        #expect(await reader.value == [[1]])
    }

    @Test func theLastStateComesBeforeTheEnd() async {
        var (model, engine): (ViewModel<Shown<[Int]>>?, _) = makeShown([1])
        guard var states = model?.viewStates.makeAsyncIterator() else { return }
        #expect(await states.next() == [1])
        engine.update { $0 = [2] }
        model = nil
        #expect(await states.next() == [2])
        #expect(await states.next() == nil)
        #expect(await states.next() == nil)
    }

    @Test func cancellingTheReaderEndsReading() async {
        let (viewModel, engine) = makeShown([1])
        let started = Gate()
        let reader = Task { [states = viewModel.viewStates] in
            var count = 0
            for await _ in states {
                count += 1
                started.open()
            }
            return count
        }
        await started.wait()
        reader.cancel()
        #expect(await reader.value == 1)
        engine.update { $0 = [2] }
        var others = viewModel.viewStates.makeAsyncIterator()
        #expect(await others.next() == [2])
    }

    @Test func aReaderThatWasCancelledBeforehandReadsNothing() async {
        let (viewModel, _) = makeShown([1])
        let gate = Gate()
        let reader = Task { [states = viewModel.viewStates] in
            await gate.wait()
            var states = states.makeAsyncIterator()
            return await states.next()
        }
        reader.cancel()
        gate.open()
        #expect(await reader.value == nil)
    }

    @Test func anEventShowsBeforeItsEffects() async {
        let viewModel = ViewModel(
            initialDomainState: 0,
            feature: Feature(
                interactor: Interact<Int, Int> { state, action in
                    state += action
                    return action == 1 ? .perform { 10 } : .none
                }
            )
        )
        var states = viewModel.viewStates.makeAsyncIterator()
        #expect(await states.next() == 0)
        let task = viewModel.sendViewEvent(1)
        #expect(await states.next() == 1)
        await task.finish()
        #expect(await states.next() == 11)
    }
}
