import Testing

@testable import LatticeActors

@Suite struct TurnStateTests {
    @Test func itTakesItsShareAndNoMore() {
        var turn = TurnState(0)
        for number in 1..<TurnState<Int>.share {
            let isTaken = turn.add(number)
            #expect(isTaken)
        }
        for _ in 0..<2 {
            let isTaken = turn.add(-1)
            #expect(!isTaken)
            // A call that has run frees no room in this turn, because others wait for the actor.
            _ = turn.next()
        }
        var rest: [Int] = []
        while let next = turn.next() { rest.append(next) }
        #expect(rest == Array(2..<TurnState<Int>.share))
    }

    @Test func itTakesCallsThatArriveWhileItRuns() {
        var turn = TurnState(0)
        let first = turn.next()
        let isTaken = turn.add(1)
        let second = turn.next()
        #expect(first == 0 && isTaken && second == 1)
    }

    @Test func itEndsWhenNothingWaits() {
        var turn = TurnState(0)
        let (first, none) = (turn.next(), turn.next())
        let isTaken = turn.add(1)
        #expect(first == 0 && none == nil && !isTaken)
    }

    @Test func aClosedTurnGivesItsRemainingCalls() {
        var turn = TurnState(0)
        let isTaken = turn.add(1)
        turn.close()
        let isLaterTaken = turn.add(2)
        let given = [turn.next(), turn.next(), turn.next()]
        #expect(isTaken && !isLaterTaken && given == [0, 1, nil])
    }
}
