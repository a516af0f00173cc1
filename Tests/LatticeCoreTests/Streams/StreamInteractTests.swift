import Testing

@testable import LatticeCore

private struct Opaque: Sendable {
    let value: Int
}

@Suite(.timeLimit(.minutes(10)))
struct StreamInteractTests {
    private func stream<T: Sendable>(_ elements: T...) -> AsyncStream<T> {
        AsyncStream { continuation in
            for element in elements { continuation.yield(element) }
            continuation.finish()
        }
    }

    private func collect<T>(_ states: AsyncStream<T>) async -> [T] {
        var collected: [T] = []
        for await state in states { collected.append(state) }
        return collected
    }

    @Test func everyStateComesUntilTheActionsEnd() async {
        let states = stream(ChildAction.increment, .echo(1), .increment)
            .interact(with: ChildInteractor(), initialState: Child())
        #expect(
            await collect(states) == [
                Child(), Child(value: 1), Child(value: 1, log: [1]), Child(value: 2, log: [1]),
            ]
        )
    }

    @Test func itEndsWhenEffectsHave() async {
        let states = stream(ChildAction.load(1)).interact(with: ChildInteractor(), initialState: Child())
        #expect(await collect(states) == [Child(), Child(log: [1])])
    }

    @Test func anEqualStateIsLeftOutIfStatesCanBeCompared() async {
        let equatable = Interact<Int, Int> { state, action in
            state = action
            return .none
        }
        #expect(await collect(stream(0, 1, 1, 2).interact(with: equatable, initialState: 0)) == [0, 1, 2])
        let opaque = Interact<Opaque, Int> { state, action in
            state = Opaque(value: action)
            return .none
        }
        let states = stream(0, 1, 1, 2).interact(with: opaque, initialState: Opaque(value: 0))
        #expect(await collect(states).map(\.value) == [0, 0, 1, 1, 2])
    }

    @Test func aSlowReaderGetsTheBufferedStates() async {
        let handled = Gate()
        let interactor = Interact<Int, Int> { state, action in
            state = action
            if action == 100 { handled.open() }
            return .none
        }
        let actions = AsyncStream<Int> { continuation in
            for action in 1...100 { continuation.yield(action) }
        }
        let states = actions.interact(with: interactor, initialState: 0, bufferingPolicy: .bufferingNewest(1))
        await handled.wait()
        var iterator = states.makeAsyncIterator()
        var state = await iterator.next()
        // The last turn may still be about to say so.
        if state != 100 { state = await iterator.next() }
        #expect(state == 100)
    }

    @Test func byDefaultTheNewestThousandAreKept() async {
        let interactor = Interact<Int, Int> { state, action in
            state = action
            return .none
        }
        let handled = Gate()
        let last = StreamLimits.unreadStates + 100
        let (actions, continuation) = AsyncStream<Int>.makeStream()
        for action in 1...last { continuation.yield(action) }
        continuation.finish()
        let states = actions.interact(
            with: interactor.logActions(to: { if $0.action == last { handled.open() } }),
            initialState: 0
        )
        await handled.wait()
        var read: [Int] = []
        for await state in states { read.append(state) }
        #expect(read.last == last)
        // One may have been taken before the buffer was full.
        #expect((StreamLimits.unreadStates...StreamLimits.unreadStates + 1).contains(read.count))
    }

    @Test func theEndOfReadingEndsTheEffects() async {
        let started = Gate()
        let cancelled = Gate()
        let (actions, continuation) = AsyncStream<ChildAction>.makeStream()
        let ended = Gate()
        continuation.onTermination = { _ in ended.open() }
        continuation.yield(.wait(started, cancelled))
        let reader = Task {
            for await _ in actions.interact(with: ChildInteractor(), initialState: Child()) {}
        }
        await started.wait()
        reader.cancel()
        await cancelled.wait()
        await ended.wait()
        await reader.value
    }

    @Test func aStreamThatIsDroppedUnreadEndsTheEffects() async {
        let started = Gate()
        let cancelled = Gate()
        let (actions, continuation) = AsyncStream<ChildAction>.makeStream()
        continuation.yield(.wait(started, cancelled))
        var states: AsyncStream<Child>? = actions.interact(with: ChildInteractor(), initialState: Child())
        await started.wait()
        #expect(states != nil)
        states = nil
        await cancelled.wait()
    }

    @Test func manyEventsAreNotAllRemembered() async {
        let count = 20 * StreamLimits.rememberedEvents
        let interactor = Interact<Int, Int> { state, action in
            guard action >= 0 else {
                state += 1
                return .none
            }
            return .perform { -1 }
        }
        let actions = AsyncStream<Int> { continuation in
            for action in 0..<count { continuation.yield(action) }
            continuation.finish()
        }
        var last = 0
        for await state in actions.interact(with: interactor, initialState: 0) { last = state }
        #expect(last == count)
    }
}
