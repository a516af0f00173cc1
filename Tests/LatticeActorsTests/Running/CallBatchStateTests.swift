import Testing

@testable import LatticeActors

@Suite struct CallBatchStateTests {
    @Test func itTakesItsShareAndNoMore() {
        var batch = CallBatchState(0)
        for number in 1..<CallBatchState<Int>.share {
            let isTaken = batch.add(number)
            #expect(isTaken)
        }
        for _ in 0..<2 {
            let isTaken = batch.add(-1)
            #expect(!isTaken)
            // A call that has run frees no room in this batch, because others wait for the actor.
            _ = batch.next()
        }
        var rest: [Int] = []
        while let next = batch.next() { rest.append(next) }
        #expect(rest == Array(2..<CallBatchState<Int>.share))
    }

    @Test func itTakesCallsThatArriveWhileItRuns() {
        var batch = CallBatchState(0)
        let first = batch.next()
        let isTaken = batch.add(1)
        let second = batch.next()
        #expect(first == 0 && isTaken && second == 1)
    }

    @Test func itEndsWhenNothingWaits() {
        var batch = CallBatchState(0)
        let (first, none) = (batch.next(), batch.next())
        let isTaken = batch.add(1)
        #expect(first == 0 && none == nil && !isTaken)
    }

    @Test func aClosedBatchGivesItsRemainingCalls() {
        var batch = CallBatchState(0)
        let isTaken = batch.add(1)
        batch.close()
        let isLaterTaken = batch.add(2)
        let given = [batch.next(), batch.next(), batch.next()]
        #expect(isTaken && !isLaterTaken && given == [0, 1, nil])
    }
}
