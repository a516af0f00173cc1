import Testing

@testable import LatticeSession

/// Which event ends its worker.
struct SuspectsTests {
    private func event(_ number: UInt64) -> Suspects.Event { Suspects.Event(channel: 1, number: number) }

    /// What is tried, one after the other, if each ends well.
    private func order(_ suspects: Suspects) -> [UInt64] {
        var suspects = suspects
        var order: [UInt64] = []
        while let first = suspects.first {
            order.append(first.number)
            suspects.triesFirst()
            suspects.removeFirst()
        }
        return order
    }

    @Test("what was on its way when a life ended is tried, one event after the other")
    func suspectsInTheirOrder() {
        var suspects = Suspects()
        #expect(suspects.first == nil)
        #expect(suspects.lifeEnded(1, inFlight: [event(3), event(4), event(7)], isBlamed: true) == nil)
        #expect(order(suspects) == [3, 4, 7])
    }

    @Test("an event that was alone when two lives ended goes to quarantine, and the others are tried on")
    func aloneTwice() {
        var suspects = Suspects()
        _ = suspects.lifeEnded(1, inFlight: [event(3), event(4), event(5)], isBlamed: true)
        suspects.triesFirst()
        suspects.removeFirst()
        suspects.triesFirst()
        #expect(suspects.lifeEnded(2, inFlight: [event(4)], isBlamed: true) == nil)
        #expect(!suspects.isTried)
        suspects.triesFirst()
        let poisoned = suspects.lifeEnded(3, inFlight: [event(4)], isBlamed: true)
        #expect(poisoned?.event == event(4))
        #expect(poisoned?.lives == Suspects.Lives(alone: [2, 3], amongOthers: [1]))
        #expect(order(suspects) == [5])
    }

    @Test("one that was alone from the start is known after two lives")
    func aloneFromTheStart() {
        var suspects = Suspects()
        #expect(suspects.lifeEnded(1, inFlight: [event(9)], isBlamed: true) == nil)
        suspects.triesFirst()
        #expect(suspects.lifeEnded(2, inFlight: [event(9)], isBlamed: true)?.lives.alone == [1, 2])
        #expect(suspects.first == nil)
    }

    @Test("a life that was ended from outside makes no suspects, and clears none")
    func endedFromOutside() {
        var suspects = Suspects()
        #expect(suspects.lifeEnded(1, inFlight: [event(1), event(2)], isBlamed: false) == nil)
        #expect(suspects.first == nil)
        _ = suspects.lifeEnded(2, inFlight: [event(1), event(2)], isBlamed: true)
        suspects.triesFirst()
        #expect(suspects.lifeEnded(3, inFlight: [event(1)], isBlamed: false) == nil)
        #expect(!suspects.isTried)
        #expect(order(suspects) == [1, 2])
        suspects.triesFirst()
        #expect(suspects.lifeEnded(4, inFlight: [event(1)], isBlamed: true) == nil)
        suspects.triesFirst()
        let lives = suspects.lifeEnded(5, inFlight: [event(1)], isBlamed: true)?.lives
        #expect(lives == .init(alone: [4, 5], amongOthers: [2]))
    }

    @Test("a life that ends while nothing is on its way is no event's doing")
    func nothingOnItsWay() {
        var suspects = Suspects()
        #expect(suspects.lifeEnded(1, inFlight: [], isBlamed: true) == nil)
        #expect(suspects.first == nil)
    }

    @Test("what was found to be harmless begins anew when it is suspected again")
    func harmless() {
        var suspects = Suspects()
        _ = suspects.lifeEnded(1, inFlight: [event(1)], isBlamed: true)
        suspects.triesFirst()
        suspects.removeFirst()
        #expect(suspects.lifeEnded(2, inFlight: [event(1)], isBlamed: true) == nil)
        suspects.triesFirst()
        #expect(suspects.lifeEnded(3, inFlight: [event(1)], isBlamed: true)?.lives == .init(alone: [2, 3]))
    }
}
