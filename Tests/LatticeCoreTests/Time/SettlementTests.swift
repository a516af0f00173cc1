import Testing

@testable import LatticeCore

@Suite(.timeLimit(.minutes(3)))
struct SettlementTests {
    @Test func theFirstDecides() async {
        let settlement = Settlement<Int>()
        #expect(!settlement.isSettled)
        #expect(settlement.settle(1))
        #expect(!settlement.settle(2))
        #expect(settlement.isSettled)
        #expect(await settlement.value(ifCancelled: 3) == 1)
    }

    @Test func whoWaitsHearsAtOnceAndTheTasksAreCancelled() async {
        let started = Gate()
        let cancelled = Gate()
        let settlement = Settlement<Int>()
        settlement.run { settlement in
            try? await waitForCancellation(started: started)
            cancelled.open()
            settlement.settle(2)
        }
        await started.wait()
        async let value = settlement.value(ifCancelled: 3)
        settlement.settle(1)
        #expect(await value == 1)
        await cancelled.wait()
    }

    @Test func cancellingTheOneThatWaitsDecides() async {
        let settlement = Settlement<Int>()
        let waiter = Task { await settlement.value(ifCancelled: 3) }
        waiter.cancel()
        #expect(await waiter.value == 3)
        #expect(await settlement.value(ifCancelled: 4) == 3)
    }

    @Test func aTaskThatComesTooLateIsCancelled() async {
        let cancelled = Gate()
        let settlement = Settlement<Int>()
        settlement.settle(1)
        settlement.run { _ in
            try? await waitForCancellation()
            cancelled.open()
        }
        await cancelled.wait()
    }
}
