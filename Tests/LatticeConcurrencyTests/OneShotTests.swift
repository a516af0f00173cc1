import LatticeConcurrency
import Testing

@Suite(.timeLimit(.minutes(10)))
struct OneShotTests {
    @Test func theFirstValueCounts() async throws {
        let oneShot = OneShot<Int>()
        #expect(!oneShot.isComplete)
        #expect(oneShot.complete(1))
        #expect(!oneShot.complete(2))
        #expect(oneShot.isComplete)
        #expect(await oneShot.value(ifCancelled: 3) == 1)
        #expect(try await oneShot.value == 1)
    }

    @Test func everyWaiterGetsTheValue() async throws {
        let oneShot = OneShot<Int>()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { try await oneShot.value } }
            oneShot.complete(1)
            for try await value in group { #expect(value == 1) }
        }
    }

    @Test func aCancelledWaiterStopsWaitingAndTheOthersGoOn() async throws {
        let (began, oneShot) = (OneShot<Void>(), OneShot<Int>())
        let cancelled = Task {
            began.complete()
            return try await oneShot.value
        }
        let other = Task { try await oneShot.value }
        await began.wait()
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { _ = try await cancelled.value }
        oneShot.complete(3)
        #expect(try await other.value == 3)
    }

    @Test func aCancelledTaskDoesNotWait() async {
        let oneShot = OneShot<Int>()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await oneShot.wait()
        }
        task.cancel()
        #expect(await task.value == nil)
    }

    @Test func aWaitThatIsTooLongEndsWithoutAValue() async throws {
        let oneShot = OneShot<Int>()
        #expect(try await oneShot.value(within: .milliseconds(1)) == nil)
        oneShot.complete(1)
        #expect(try await oneShot.value(within: .seconds(60)) == 1)
    }

    @Test func waitersEndAtOnceAndTheTasksAreCancelled() async {
        let (started, cancelled, oneShot) = (OneShot<Void>(), OneShot<Void>(), OneShot<Int>())
        oneShot.run { oneShot in
            started.complete()
            await waitForCancellation()
            cancelled.complete()
            oneShot.complete(2)
        }
        await started.wait()
        async let value = oneShot.value(ifCancelled: 3)
        oneShot.complete(1)
        #expect(await value == 1)
        await cancelled.wait()
    }

    @Test func cancellingTheOneThatWaitsCompletes() async {
        let oneShot = OneShot<Int>()
        let waiter = Task { await oneShot.value(ifCancelled: 3) }
        waiter.cancel()
        #expect(await waiter.value == 3)
        #expect(await oneShot.value(ifCancelled: 4) == 3)
    }

    @Test func waitingForCancelledTasksIsAnOption() async {
        let (ended, oneShot) = (OneShot<Void>(), OneShot<Int>())
        let waiter = Task {
            oneShot.run { _ in
                await waitForCancellation()
                ended.complete()
            }
            return await oneShot.value(ifCancelled: 3, awaitsTasks: true)
        }
        waiter.cancel()
        #expect(await waiter.value == 3)
        #expect(ended.isComplete)
    }

    @Test func aTaskThatComesTooLateIsCancelled() async {
        let (cancelled, oneShot) = (OneShot<Void>(), OneShot<Int>())
        oneShot.complete(1)
        oneShot.run { _ in
            await waitForCancellation()
            cancelled.complete()
        }
        await cancelled.wait()
    }
}

private func waitForCancellation() async {
    let never = OneShot<Void>()
    await never.wait()
}
