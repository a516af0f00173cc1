import LatticeTesting
import Testing

@testable import LatticeCore

struct ThrottleStateTests {
    private typealias State = ThrottleState<TestInstant>

    private func at(_ milliseconds: Int) -> TestInstant {
        TestInstant(offset: .milliseconds(milliseconds))
    }

    private func makeState(_ edges: ThrottleEdges) -> State {
        State(for: .milliseconds(100), edges: edges)
    }

    @Test func leadingRunsTheFirstOfAPeriod() {
        var state = makeState(.leading)
        #expect(state.callArrived(1, at: at(0)) == .run)
        #expect(state.callArrived(2, at: at(50)) == .skip)
        #expect(state.callArrived(3, at: at(99)) == .skip)
        #expect(state.callArrived(4, at: at(100)) == .run)
        #expect(state.callArrived(5, at: at(199)) == .skip)
    }

    @Test func trailingRunsTheLastOfAPeriod() {
        var state = makeState(.trailing)
        #expect(state.callArrived(1, at: at(0)) == .wait(until: at(100), insteadOf: nil))
        #expect(state.callArrived(2, at: at(50)) == .wait(until: at(100), insteadOf: 1))
        let late = state.waitEnded(1, at: at(100))
        #expect(!late)
        let last = state.waitEnded(2, at: at(100))
        #expect(last)
        #expect(state.callArrived(3, at: at(100)) == .wait(until: at(200), insteadOf: nil))
    }

    @Test func bothRunsTheFirstAndTheLast() {
        var state = makeState(.both)
        #expect(state.callArrived(1, at: at(0)) == .run)
        #expect(state.callArrived(2, at: at(10)) == .wait(until: at(100), insteadOf: nil))
        #expect(state.callArrived(3, at: at(20)) == .wait(until: at(100), insteadOf: 2))
        let last = state.waitEnded(3, at: at(105))
        #expect(last)
        // The last one begins the next period, when it runs.
        #expect(state.callArrived(4, at: at(150)) == .wait(until: at(205), insteadOf: nil))
        let next = state.waitEnded(4, at: at(205))
        #expect(next)
        #expect(state.callArrived(5, at: at(305)) == .run)
    }

    @Test func aCancelledCallKeepsThePeriod() {
        var state = makeState(.both)
        #expect(state.callArrived(1, at: at(0)) == .run)
        #expect(state.callArrived(2, at: at(10)) == .wait(until: at(100), insteadOf: nil))
        state.waitCancelled(2)
        state.waitCancelled(7)
        let woke = state.waitEnded(2, at: at(100))
        #expect(!woke)
        #expect(state.callArrived(3, at: at(50)) == .wait(until: at(100), insteadOf: nil))
    }

    @Test func aCallAfterThePeriodTakesThePlaceOfOneThatHasNotWokenUp() {
        var state = makeState(.trailing)
        #expect(state.callArrived(1, at: at(0)) == .wait(until: at(100), insteadOf: nil))
        #expect(state.callArrived(2, at: at(120)) == .wait(until: at(100), insteadOf: 1))
        #expect(!state.isOver(at: at(500)))
    }

    @Test func aPeriodIsOverWhenNothingComesOfIt() {
        var state = makeState(.leading)
        #expect(state.isOver(at: at(0)))
        #expect(state.callArrived(1, at: at(0)) == .run)
        #expect(!state.isOver(at: at(99)))
        #expect(state.isOver(at: at(100)))
    }
}
