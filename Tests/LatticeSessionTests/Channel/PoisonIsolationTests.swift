import Testing

@testable import LatticeSession

/// Which event ends its worker.
struct PoisonIsolationTests {
    private func event(_ number: UInt64) -> PoisonIsolation.Event { PoisonIsolation.Event(channel: 1, number: number) }

    /// What is tried, one after the other, if each ends well.
    private func order(_ suspects: PoisonIsolation) -> [UInt64] {
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
        var suspects = PoisonIsolation()
        #expect(suspects.first == nil)
        #expect(suspects.lifeEnded(1, inFlight: [event(3), event(4), event(7)], blame: .anything) == nil)
        #expect(order(suspects) == [3, 4, 7])
    }

    @Test("an event that was alone when two lives ended goes to quarantine, and the others are tried on")
    func aloneTwice() {
        var suspects = PoisonIsolation()
        _ = suspects.lifeEnded(1, inFlight: [event(3), event(4), event(5)], blame: .anything)
        suspects.triesFirst()
        suspects.removeFirst()
        suspects.triesFirst()
        #expect(suspects.lifeEnded(2, inFlight: [event(4)], blame: .anything) == nil)
        #expect(!suspects.isTried)
        suspects.triesFirst()
        let poisoned = suspects.lifeEnded(3, inFlight: [event(4)], blame: .anything)
        #expect(poisoned?.event == event(4))
        #expect(poisoned?.lives == PoisonIsolation.Lives(alone: [2, 3], amongOthers: [1]))
        #expect(order(suspects) == [5])
    }

    @Test("one that was alone from the start is known after two lives")
    func aloneFromTheStart() {
        var suspects = PoisonIsolation()
        #expect(suspects.lifeEnded(1, inFlight: [event(9)], blame: .anything) == nil)
        suspects.triesFirst()
        #expect(suspects.lifeEnded(2, inFlight: [event(9)], blame: .anything)?.lives.alone == [1, 2])
        #expect(suspects.first == nil)
    }

    @Test("a life that was ended from outside makes no suspects, and clears none")
    func endedFromOutside() {
        var suspects = PoisonIsolation()
        #expect(suspects.lifeEnded(1, inFlight: [event(1), event(2)], blame: .nobody) == nil)
        #expect(suspects.first == nil)
        _ = suspects.lifeEnded(2, inFlight: [event(1), event(2)], blame: .anything)
        suspects.triesFirst()
        #expect(suspects.lifeEnded(3, inFlight: [event(1)], blame: .nobody) == nil)
        #expect(!suspects.isTried)
        #expect(order(suspects) == [1, 2])
        suspects.triesFirst()
        #expect(suspects.lifeEnded(4, inFlight: [event(1)], blame: .anything) == nil)
        suspects.triesFirst()
        let lives = suspects.lifeEnded(5, inFlight: [event(1)], blame: .anything)?.lives
        #expect(lives == .init(alone: [4, 5], amongOthers: [2]))
    }

    @Test("a life that ends while nothing is on its way is no event's doing")
    func nothingOnItsWay() {
        var suspects = PoisonIsolation()
        #expect(suspects.lifeEnded(1, inFlight: [], blame: .anything) == nil)
        #expect(suspects.first == nil)
    }

    @Test("what was found to be harmless begins anew when it is suspected again")
    func harmless() {
        var suspects = PoisonIsolation()
        _ = suspects.lifeEnded(1, inFlight: [event(1)], blame: .anything)
        suspects.triesFirst()
        suspects.removeFirst()
        #expect(suspects.lifeEnded(2, inFlight: [event(1)], blame: .anything) == nil)
        suspects.triesFirst()
        #expect(suspects.lifeEnded(3, inFlight: [event(1)], blame: .anything)?.lives == .init(alone: [2, 3]))
    }

    @Test("one in whose turn two lives ended goes to quarantine, whatever else was on its way")
    func inItsTurn() {
        var suspects = PoisonIsolation()
        let blame = Blame.event(5, channel: 1)
        let inFlight = [3, 4, 5, 6].map(event) + [PoisonIsolation.Event(channel: 3, number: 9)]
        #expect(suspects.lifeEnded(1, inFlight: inFlight, blame: blame) == nil)
        // Those before it on its channel stay before it. Nobody else is tried.
        #expect(order(suspects) == [3, 4, 5])
        let poisoned = suspects.lifeEnded(2, inFlight: inFlight, blame: blame)
        #expect(poisoned?.event == event(5))
        #expect(poisoned?.lives == PoisonIsolation.Lives(alone: [1, 2]))
        #expect(order(suspects) == [3, 4])
    }

    @Test(
        "in the turn of an effect no event is to blame, nor for one that was not on its way",
        arguments: [Blame.effects, .event(9, channel: 1), .event(3, channel: 3)]
    )
    func nobodysTurn(blame: Blame) {
        var suspects = PoisonIsolation()
        #expect(suspects.lifeEnded(1, inFlight: [event(3)], blame: blame) == nil)
        #expect(suspects.first == nil)
        // Who is suspected stays so.
        #expect(suspects.lifeEnded(2, inFlight: [event(3)], blame: .anything) == nil)
        suspects.triesFirst()
        #expect(suspects.lifeEnded(3, inFlight: [event(3)], blame: blame) == nil)
        #expect(!suspects.isTried)
        #expect(order(suspects) == [3])
    }

    @Test("lives that it has ended alone and in its turn count together")
    func aloneAndInItsTurn() {
        var suspects = PoisonIsolation()
        #expect(suspects.lifeEnded(1, inFlight: [event(3)], blame: .anything) == nil)
        suspects.triesFirst()
        let poisoned = suspects.lifeEnded(2, inFlight: [event(3)], blame: .event(3, channel: 1))
        #expect(poisoned?.lives.alone == [1, 2])
        #expect(suspects.first == nil)
    }
}
