import Testing

@testable import LatticeSession

/// Which event ends its worker.
struct PoisonIsolationTests {
    private func event(_ number: UInt64) -> PoisonIsolation.Event { PoisonIsolation.Event(channel: 1, number: number) }

    /// Returns the events that are retried one after the other, if each ends well.
    private func order(_ isolation: PoisonIsolation) -> [UInt64] {
        var isolation = isolation
        var order: [UInt64] = []
        while let first = isolation.first {
            order.append(first.number)
            isolation.markFirstSent()
            isolation.removeFirst()
        }
        return order
    }

    @Test("Events in flight when an incarnation ended are retried one after the other")
    func suspectsInTheirOrder() {
        var isolation = PoisonIsolation()
        #expect(isolation.first == nil)
        #expect(isolation.workerTerminated(1, inFlight: [event(3), event(4), event(7)], blame: .anything) == nil)
        #expect(order(isolation) == [3, 4, 7])
    }

    @Test("An event that was alone in two ended incarnations is quarantined, and the others are retried further")
    func aloneTwice() {
        var isolation = PoisonIsolation()
        _ = isolation.workerTerminated(1, inFlight: [event(3), event(4), event(5)], blame: .anything)
        isolation.markFirstSent()
        isolation.removeFirst()
        isolation.markFirstSent()
        #expect(isolation.workerTerminated(2, inFlight: [event(4)], blame: .anything) == nil)
        #expect(!isolation.isRetrying)
        isolation.markFirstSent()
        let poisoned = isolation.workerTerminated(3, inFlight: [event(4)], blame: .anything)
        #expect(poisoned?.event == event(4))
        #expect(poisoned?.terminations == PoisonIsolation.Terminations(alone: [2, 3], amongOthers: [1]))
        #expect(order(isolation) == [5])
    }

    @Test("An event that was alone from the start is quarantined after two incarnations")
    func aloneFromTheStart() {
        var isolation = PoisonIsolation()
        #expect(isolation.workerTerminated(1, inFlight: [event(9)], blame: .anything) == nil)
        isolation.markFirstSent()
        #expect(isolation.workerTerminated(2, inFlight: [event(9)], blame: .anything)?.terminations.alone == [1, 2])
        #expect(isolation.first == nil)
    }

    @Test("An incarnation that was ended from outside makes no isolation, and clears none")
    func endedFromOutside() {
        var isolation = PoisonIsolation()
        #expect(isolation.workerTerminated(1, inFlight: [event(1), event(2)], blame: .nobody) == nil)
        #expect(isolation.first == nil)
        _ = isolation.workerTerminated(2, inFlight: [event(1), event(2)], blame: .anything)
        isolation.markFirstSent()
        #expect(isolation.workerTerminated(3, inFlight: [event(1)], blame: .nobody) == nil)
        #expect(!isolation.isRetrying)
        #expect(order(isolation) == [1, 2])
        isolation.markFirstSent()
        #expect(isolation.workerTerminated(4, inFlight: [event(1)], blame: .anything) == nil)
        isolation.markFirstSent()
        let terminations = isolation.workerTerminated(5, inFlight: [event(1)], blame: .anything)?.terminations
        #expect(terminations == .init(alone: [4, 5], amongOthers: [2]))
    }

    @Test("An incarnation that ends with nothing in flight blames no event")
    func nothingOnItsWay() {
        var isolation = PoisonIsolation()
        #expect(isolation.workerTerminated(1, inFlight: [], blame: .anything) == nil)
        #expect(isolation.first == nil)
    }

    @Test("An event that was found harmless starts from zero when it is suspected again")
    func harmless() {
        var isolation = PoisonIsolation()
        _ = isolation.workerTerminated(1, inFlight: [event(1)], blame: .anything)
        isolation.markFirstSent()
        isolation.removeFirst()
        #expect(isolation.workerTerminated(2, inFlight: [event(1)], blame: .anything) == nil)
        isolation.markFirstSent()
        #expect(
            isolation.workerTerminated(3, inFlight: [event(1)], blame: .anything)?.terminations == .init(alone: [2, 3])
        )
    }

    @Test("An event in whose turn two incarnations ended is quarantined, whatever else was in flight")
    func inItsTurn() {
        var isolation = PoisonIsolation()
        let blame = Blame.event(5, channel: 1)
        let inFlight = [3, 4, 5, 6].map(event) + [PoisonIsolation.Event(channel: 3, number: 9)]
        #expect(isolation.workerTerminated(1, inFlight: inFlight, blame: blame) == nil)
        // Earlier events of its channel stay before it. Other events are not retried.
        #expect(order(isolation) == [3, 4, 5])
        let poisoned = isolation.workerTerminated(2, inFlight: inFlight, blame: blame)
        #expect(poisoned?.event == event(5))
        #expect(poisoned?.terminations == PoisonIsolation.Terminations(alone: [1, 2]))
        #expect(order(isolation) == [3, 4])
    }

    @Test(
        "A death in an effect's turn, or in the turn of an unknown event, blames no event",
        arguments: [Blame.effects, .event(9, channel: 1), .event(3, channel: 3)]
    )
    func nobodysTurn(blame: Blame) {
        var isolation = PoisonIsolation()
        #expect(isolation.workerTerminated(1, inFlight: [event(3)], blame: blame) == nil)
        #expect(isolation.first == nil)
        // An event that is suspected stays suspected.
        #expect(isolation.workerTerminated(2, inFlight: [event(3)], blame: .anything) == nil)
        isolation.markFirstSent()
        #expect(isolation.workerTerminated(3, inFlight: [event(3)], blame: blame) == nil)
        #expect(!isolation.isRetrying)
        #expect(order(isolation) == [3])
    }

    @Test("Incarnations that an event ended alone and in its turn count together")
    func aloneAndInItsTurn() {
        var isolation = PoisonIsolation()
        #expect(isolation.workerTerminated(1, inFlight: [event(3)], blame: .anything) == nil)
        isolation.markFirstSent()
        let poisoned = isolation.workerTerminated(2, inFlight: [event(3)], blame: .event(3, channel: 1))
        #expect(poisoned?.terminations.alone == [1, 2])
        #expect(isolation.first == nil)
    }
}
