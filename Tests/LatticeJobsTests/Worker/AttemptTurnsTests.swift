import LatticeConcurrency
import Testing

@testable import LatticeJobs

/// Turns as an object, so that an expectation can change them.
private final class TestTurns {
    private var state = AttemptTurns()

    /// Returns the turn of an attempt, true if it begins at once, or nil if it is refused.
    func add(_ number: UInt64, after earlier: UInt64? = nil) -> (begins: Bool, turn: AttemptTurns.Turn?)? {
        switch state.add(number, after: earlier) {
        case .begins: (true, nil)
        case .waits(let turn): (false, turn)
        case .refused: nil
        }
    }

    func end(_ number: UInt64) -> AttemptTurns.Turn? { state.end(number) }
    func waiting(_ number: UInt64) -> AttemptTurns.Turn? { state.waiting(number) }
    var waiting: Int { state.waiting.count }
}

struct AttemptTurnsTests {
    @Test("Attempts that were sent ahead begin one after the other, when the answer of the one before is written")
    func order() {
        let turns = TestTurns()
        #expect(turns.add(1)?.begins == true)
        let (second, third) = (turns.add(2, after: 1)?.turn, turns.add(3, after: 2)?.turn)
        #expect(second != nil && third != nil && turns.waiting == 2)
        #expect(turns.end(1) === second && turns.waiting(2) == nil && turns.waiting == 1)
        #expect(turns.end(2) === third && turns.end(3) == nil)
        // The answer is written before the next one arrives.
        #expect(turns.add(4, after: 3)?.begins == true)
    }

    @Test("An attempt is refused if the last one is not the one before it", arguments: [nil, 1, 2] as [UInt64?])
    func refused(last: UInt64?) {
        let turns = TestTurns()
        if let last { #expect(turns.add(last)?.begins == true) }
        if last == 2 { #expect(turns.end(2) == nil) }
        #expect(turns.add(9, after: 7) == nil && turns.waiting == 0)
    }

    @Test("The attempt behind one that was taken back begins when the answers of both before it are written")
    func takenBack() {
        let turns = TestTurns()
        #expect(turns.add(1)?.begins == true)
        let (second, third) = (turns.add(2, after: 1)?.turn, turns.add(3, after: 2)?.turn)
        #expect(turns.waiting(2) === second && second?.complete(false) == true)
        #expect(turns.end(1) === second && turns.waiting(2) == nil)
        #expect(turns.end(2) === third)
        // Or in the other order.
        let fourth = turns.add(4, after: 3)?.turn
        let fifth = turns.add(5, after: 4)?.turn
        #expect(fourth?.complete(false) == true && turns.end(4) == nil)
        #expect(turns.end(3) === fifth)
    }
}
