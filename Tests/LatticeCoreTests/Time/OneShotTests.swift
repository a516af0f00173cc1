import Testing

@testable import LatticeCore

@Suite(.timeLimit(.minutes(3)))
struct OneShotTests {
    @Test func theFirstDecides() async {
        let oneShot = OneShot<Int>()
        #expect(!oneShot.isSettled)
        #expect(oneShot.settle(1))
        #expect(!oneShot.settle(2))
        #expect(oneShot.isSettled)
        #expect(await oneShot.value(ifCancelled: 3) == 1)
    }

    @Test func whoWaitsHearsAtOnceAndTheTasksAreCancelled() async {
        let started = Gate()
        let cancelled = Gate()
        let oneShot = OneShot<Int>()
        oneShot.run { oneShot in
            try? await waitForCancellation(started: started)
            cancelled.open()
            oneShot.settle(2)
        }
        await started.wait()
        async let value = oneShot.value(ifCancelled: 3)
        oneShot.settle(1)
        #expect(await value == 1)
        await cancelled.wait()
    }

    @Test func cancellingTheOneThatWaitsDecides() async {
        let oneShot = OneShot<Int>()
        let waiter = Task { await oneShot.value(ifCancelled: 3) }
        waiter.cancel()
        #expect(await waiter.value == 3)
        #expect(await oneShot.value(ifCancelled: 4) == 3)
    }

    @Test func aTaskThatComesTooLateIsCancelled() async {
        let cancelled = Gate()
        let oneShot = OneShot<Int>()
        oneShot.settle(1)
        oneShot.run { _ in
            try? await waitForCancellation()
            cancelled.open()
        }
        await cancelled.wait()
    }
}
