import Dispatch
import Testing

@testable import LatticeCore

/// Tests the turns that handle the elements of an observed stream.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct ObservedElementsTests {
    private enum Action: Sendable {
        case observe
        case element(Int)
        case stop
    }

    private let turns = Shared(0)

    /// Keeps the elements of the stream; `react` says what follows from one.
    private func makeRuntime(
        _ elements: AsyncStream<Int>,
        react: @escaping @Sendable (Int) -> Emission<Action> = { _ in .none }
    ) -> FeatureRuntime<[Int], Action> {
        let runtime = LatticeCoreTests.makeRuntime([]) { (state: inout [Int], action: Action) in
            switch action {
            case .observe:
                return Emission<Int>.observe { elements }.map { .element($0) }.cancellable(id: "stream")
            case .element(let element):
                state.append(element)
                return react(element)
            case .stop:
                return .cancel(id: "stream")
            }
        }
        runtime.onTurn = { [turns] _ in turns.increment() }
        return runtime
    }

    /// A stream of 1, 2, 3, … that says how far it was read.
    private func count(to last: Int, onRead: @escaping @Sendable (Int) -> Void) -> AsyncStream<Int> {
        let read = Shared(0)
        return AsyncStream(unfolding: {
            read.increment()
            onRead(read.value)
            return read.value <= last ? read.value : nil
        })
    }

    @Test("Elements that arrive while the main actor is busy share one turn (W14)")
    func elementsShareATurn() async {
        let allRead = DispatchSemaphore(value: 0)
        let runtime = makeRuntime(count(to: 10) { if $0 == 11 { allRead.signal() } })
        let task = runtime.send(.observe)
        // The main actor is held here.
        #expect(holdThread(until: allRead))
        #expect(await task.finish() == .finished)
        #expect(runtime.state == Array(1...10))
        #expect(turns.value == 2)
    }

    @Test("A stream that is faster than the turns is read only as far as there is room (contract 31)")
    func aFastStreamWaits() async {
        let limit = RuntimeLimits.waitingElements
        let isFull = DispatchSemaphore(value: 0)
        let runtime = makeRuntime(count(to: 100 * limit) { if $0 == limit { isFull.signal() } })
        var handled = [0]
        runtime.onTurn = { [unowned runtime] _ in handled.append(runtime.state.count) }
        let task = runtime.send(.observe)
        #expect(holdThread(until: isFull))
        #expect(await task.finish() == .finished)
        #expect(runtime.state == Array(1...100 * limit))
        #expect(zip(handled, handled.dropFirst()).allSatisfy { $1 - $0 <= limit })
    }

    @Test("An element that cancels its stream is the last one, also within a turn (W20)")
    func anElementCancelsTheStream() async {
        let allRead = DispatchSemaphore(value: 0)
        let runtime = makeRuntime(
            count(to: 10) { if $0 == 11 { allRead.signal() } },
            react: { $0 == 3 ? .action(.stop) : .none }
        )
        let task = runtime.send(.observe)
        #expect(holdThread(until: allRead))
        #expect(await task.finish() == .cancelled)
        #expect(runtime.state == [1, 2, 3])
        #expect(runtime.turn.groups.isEmpty)
    }

    @Test func followUpsOfAnElementComeBeforeTheNext() async {
        let allRead = DispatchSemaphore(value: 0)
        let runtime = makeRuntime(
            count(to: 3) { if $0 == 4 { allRead.signal() } },
            react: { $0 < 100 ? .action(.element(100 + $0)) : .none }
        )
        let task = runtime.send(.observe)
        #expect(holdThread(until: allRead))
        #expect(await task.finish() == .finished)
        #expect(runtime.state == [1, 101, 2, 102, 3, 103])
    }

    @Test("Each element has a turn's limit of actions to itself (W16)")
    func eachElementHasTheLimitToItself() async {
        let allRead = DispatchSemaphore(value: 0)
        // Ten chains of actions, together too long for a turn.
        let end = 1_000
        let start = end + RuntimeLimits.actionsPerTurn / 8
        let runtime = makeRuntime(
            count(to: 10) { if $0 == 11 { allRead.signal() } },
            react: { $0 == end ? .none : .action(.element($0 < end ? start : $0 - 1)) }
        )
        let task = runtime.send(.observe)
        #expect(holdThread(until: allRead))
        #expect(await task.finish() == .finished)
        #expect(runtime.state.count > RuntimeLimits.actionsPerTurn)
        #expect(turns.value == 2)
    }

    @Test("An event ends although there is no room for the next element", arguments: [true, false])
    func endingWithoutRoom(byItsTask: Bool) async {
        let isFull = DispatchSemaphore(value: 0)
        var runtime: FeatureRuntime<[Int], Action>? = makeRuntime(
            count(to: .max) { if $0 == RuntimeLimits.waitingElements { isFull.signal() } }
        )
        weak let weakRuntime = runtime
        let task = runtime?.send(.observe)
        #expect(holdThread(until: isFull))
        if byItsTask { task?.cancel() } else { runtime = nil }
        #expect(await task?.finish(cancellationGrace: .seconds(3_600)) == .cancelled)
        #expect(runtime?.state ?? [] == [])
        runtime = nil
        #expect(weakRuntime == nil)
    }

    @Test("An event ends although no element arrives", arguments: [true, false])
    func endingWithoutElements(byItsTask: Bool) async {
        let (elements, more) = AsyncStream<Int>.makeStream()
        var runtime: FeatureRuntime<[Int], Action>? = makeRuntime(elements)
        let handled = Gate()
        runtime?.onTurn = { _ in if runtime?.state == [1] { handled.open() } }
        weak let weakRuntime = runtime
        let task = runtime?.send(.observe)
        more.yield(1)
        await handled.wait()
        if byItsTask { task?.cancel() } else { runtime = nil }
        #expect(await task?.finish(cancellationGrace: .seconds(3_600)) == .cancelled)
        runtime = nil
        #expect(weakRuntime == nil)
    }

    @Test func onAnotherActorItIsTheSame() async {
        let (elements, more) = AsyncStream<Int>.makeStream()
        let host = Host()
        let runtime = FeatureRuntime(
            initialState: 0,
            interactor: Interact<Int, Int> { state, element in
                state += element
                return element == 0 ? .observe { elements } : .none
            },
            isolation: host,
            areStatesEqual: { $0 == $1 }
        )
        let task = await host.run { _ in runtime.send(0) }
        for element in 1...1_000 { more.yield(element) }
        more.finish()
        #expect(await task.finish() == .finished)
        #expect(await host.run { _ in runtime.state } == 500_500)
    }
}
