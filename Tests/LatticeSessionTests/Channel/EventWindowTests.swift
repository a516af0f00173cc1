import Testing

@testable import LatticeSession

struct EventWindowTests {
    private func window(_ count: Int) -> EventWindow<Int> {
        var window = EventWindow<Int>()
        for promise in 1...count { _ = window.append(action: [1], promise: promise, wasSent: true) }
        return window
    }

    @Test func numbersGrowByOneFromTheGivenOne() {
        var window = EventWindow<Int>(after: 41)
        #expect(window.acknowledged == 41)
        #expect(window.append(action: [], promise: 1, wasSent: false) == 42)
        #expect(window.append(action: [], promise: 2, wasSent: false) == 43)
        #expect(window.nextNumber == 44)
    }

    @Test(arguments: [(0, 5, 5), (1, 4, 4), (3, 2, 2), (5, 0, 0), (9, 0, 0)] as [(UInt64, Int, Int)])
    func acknowledgingReleasesActions(through: UInt64, left: Int, bytes: Int) {
        var window = window(5)
        window.acknowledge(through: through)
        #expect(window.unacknowledged == left)
        #expect(window.unacknowledgedBytes == bytes)
        #expect(window.acknowledged == min(through, 5))
        // A lower one does not take it back.
        window.acknowledge(through: 0)
        #expect(window.acknowledged == min(through, 5))
    }

    @Test func eachEventCompletesOnce() {
        var window = window(3)
        #expect(window.complete(2) == 2)
        #expect(window.complete(2) == nil)
        #expect(window.complete(4) == nil)
        #expect(window.complete(0) == nil)
        #expect(window.unacknowledged == 2)
        #expect(window.complete(1) == 1)
        #expect(window.complete(3) == 3)
        #expect(window.unacknowledgedBytes == 0)
        #expect(window.nextNumber == 4)
    }

    @Test func aLongRunningEventMovesOutOfTheWay() {
        var window = EventWindow<Int>()
        _ = window.append(action: [1], promise: 1, wasSent: true)
        for number in 2...100_000 as ClosedRange<UInt64> {
            #expect(window.append(action: [1], promise: Int(number), wasSent: true) == number)
            window.acknowledge(through: number)
            #expect(window.complete(number) == Int(number))
            #expect(window.nextNumber - window.firstNumber <= 1025)
        }
        #expect(window.running.map(\.number) == [1])
        #expect(window.completePassed(2...90_000).isEmpty)
        #expect(window.cancel(1)?.promise == 1)
        #expect(window.running.map(\.isCancelled) == [true])
        #expect(window.completePassed(1...90_000).map(\.promise) == [1])
        #expect(window.complete(1) == nil)
        #expect(window.running.isEmpty)
    }

    @Test func manyEventsBehindALongRunningOneEndInAnyOrder() {
        var window = window(100_000)
        window.acknowledge(through: 100_000)
        var ended = 0
        for number in stride(from: 100_000, to: 1, by: -1) where window.complete(UInt64(number)) == number {
            ended += 1
        }
        #expect(ended == 99_999)
        #expect(window.removeRunning() == [1])
        #expect(window.nextNumber == 100_001)
    }

    @Test func runningAndWaitingEventsAreDistinguished() {
        var window = window(5)
        window.acknowledge(through: 3)
        _ = window.complete(2)
        #expect(window.running.map(\.number) == [1, 3])
        #expect(window.takeUnacknowledged().map(\.number) == [4, 5])
        #expect(window.removeRunning() == [1, 3])
        #expect(window.removeUnacknowledged() == [4, 5])
        #expect(window.unacknowledged == 0)
        #expect(window.nextNumber == 6)
        #expect(window.append(action: [], promise: 6, wasSent: true) == 6)
    }

    @Test func unsentEventsStayWhenTheRestIsRemoved() {
        var window = window(3)
        window.acknowledge(through: 1)
        _ = window.append(action: [1, 2], promise: 4, wasSent: false)
        #expect(window.removeUnacknowledged(where: \.wasSent) == [2, 3])
        #expect(window.unacknowledged == 1)
        #expect(window.unacknowledgedBytes == 2)
        #expect(window.acknowledged == 3)
        #expect(window.running.map(\.number) == [1])
        #expect(window.takeUnacknowledged().map(\.number) == [4])
        // Later events are acknowledged as if no event had been missing.
        #expect(window.complete(4) == 4)
        #expect(window.acknowledged == 4)
    }

    @Test func takingMarksAsSent() {
        var window = EventWindow<Int>()
        _ = window.append(action: [1], promise: 1, wasSent: false)
        #expect(window.cancel(1)?.wasSent == false)
        #expect(window.takeUnacknowledged().map(\.wasSent) == [true])
        #expect(window.cancel(1)?.wasSent == true)
    }
}
