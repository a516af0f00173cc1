import LatticeWire
import Testing

@testable import LatticeSession

struct NamedEffectLedgerTests {
    private typealias Effect = EffectsMessage.Effect

    private func ledger(_ begun: Effect...) throws -> NamedEffectLedger {
        var ledger = NamedEffectLedger()
        try ledger.hold(EffectsMessage(revision: 0, applied: 0, begun: begun, ended: []))
        ledger.settle(revision: 0, applied: 0)
        return ledger
    }

    private func recoverable(_ ledger: inout NamedEffectLedger, isBlamed: Bool = true) -> [String] {
        ledger.peerTerminated(isBlamed: isBlamed) { _ in false }.recoverable.map { "\($0.name) \($0.deaths)" }
    }

    private func begin(_ ledger: inout NamedEffectLedger, _ number: UInt64, _ name: String, _ recoveries: UInt32) throws
    {
        let effect = Effect(number: number, event: 1, name: name, recoveries: recoveries)
        try ledger.hold(EffectsMessage(revision: 0, applied: 0, begun: [effect], ended: []))
        ledger.settle(revision: 0, applied: 0)
    }

    @Test(
        "Named effects take effect when their state has arrived and their events are acknowledged",
        arguments: [(6, 9, 0), (7, 8, 0), (7, 9, 1), (8, 12, 1)] as [(UInt64, UInt64, Int)]
    )
    func waits(revision: UInt64, applied: UInt64, count: Int) throws {
        var ledger = NamedEffectLedger()
        let effect = Effect(number: 1, event: 9, name: "a", recoveries: 1)
        try ledger.hold(EffectsMessage(revision: 7, applied: 9, begun: [effect], ended: []))
        ledger.settle(revision: revision, applied: applied)
        #expect(ledger.isHolding == (count == 0))
        #expect(recoverable(&ledger).count == count)
    }

    @Test("Waiting changes keep their order, and beyond a limit they are merged into the last one")
    func order() throws {
        var ledger = NamedEffectLedger()
        let last = UInt64(NamedEffectLedger.longestHeld + 10)
        for revision in 1...last {
            let effect = Effect(number: revision, event: 0, name: "\(revision)", recoveries: 1)
            let ended = revision > 1 ? [revision - 1] : []
            try ledger.hold(EffectsMessage(revision: revision, applied: 0, begun: [effect], ended: ended))
        }
        var early = ledger
        early.settle(revision: 5, applied: 0)
        #expect(recoverable(&early) == ["5 1"])
        ledger.settle(revision: last, applied: 0)
        #expect(!ledger.isHolding)
        #expect(recoverable(&ledger) == ["\(last) 1"])
    }

    @Test("Deaths are counted by name, until an effect of that name ends or the death is blamed on nothing")
    func deaths() throws {
        var ledger = try ledger(
            Effect(number: 1, event: 1, name: "a", recoveries: 9),
            Effect(number: 2, event: 1, name: "a", recoveries: 9),
            Effect(number: 3, event: 1, name: "b", recoveries: 9)
        )
        #expect(recoverable(&ledger) == ["a 1", "b 1"])
        #expect(recoverable(&ledger) == [])
        try begin(&ledger, 4, "a", 9)
        #expect(recoverable(&ledger, isBlamed: false) == ["a 1"])
        try begin(&ledger, 5, "a", 9)
        #expect(recoverable(&ledger) == ["a 2"])
        try begin(&ledger, 6, "a", 9)
        try begin(&ledger, 7, "a", 9)
        try ledger.hold(EffectsMessage(revision: 0, applied: 0, begun: [], ended: [6, 6, 99]))
        ledger.settle(revision: 0, applied: 0)
        #expect(recoverable(&ledger) == ["a 1"])
    }

    @Test("An effect without recoveries left fails its event, and one whose event has ended fails nothing")
    func failing() throws {
        var ledger = try ledger(
            Effect(number: 1, event: 1, name: "b", recoveries: 0),
            Effect(number: 2, event: 1, name: "a", recoveries: 0),
            Effect(number: 3, event: 0, name: "none", recoveries: 0),
            Effect(number: 4, event: 2, name: "ended", recoveries: 5),
            Effect(number: 5, event: 3, name: "often", recoveries: 1)
        )
        var interrupted = ledger.peerTerminated(isBlamed: true) { $0 == 2 }
        #expect(interrupted.failing == [1: EffectDeaths(name: "a", deaths: 0)])
        #expect(interrupted.recoverable == [EffectDeaths(name: "often", deaths: 1)])
        try begin(&ledger, 6, "often", 1)
        interrupted = ledger.peerTerminated(isBlamed: true) { _ in false }
        #expect(interrupted.failing == [1: EffectDeaths(name: "often", deaths: 2)])
        #expect(interrupted.recoverable.isEmpty)
        try begin(&ledger, 7, "often", 1)
        #expect(recoverable(&ledger) == ["often 1"])
    }

    @Test("More running effects than allowed are a violation")
    func tooMany() throws {
        var ledger = NamedEffectLedger()
        let error = #expect(throws: SessionError.self) {
            for number in 1...UInt64(4 * MessageLimits.maximumEffects) {
                try begin(&ledger, number, "\(number)", 1)
            }
        }
        #expect(error?.detail == "More than 4096 named effects run on a channel.")
        #expect(recoverable(&ledger).count == 3 * MessageLimits.maximumEffects)
    }
}
