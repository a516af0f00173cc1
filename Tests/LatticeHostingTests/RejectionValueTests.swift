import LatticeCore
import LatticeHosting
import LatticeWire
import Testing

@Suite struct RejectionValueTests {
    @Test(
        "The value of a rejection survives the way to another process, and every value that is encoded has room there"
    )
    func roundTrip() throws {
        let rejection = EventRejection(code: .declined, reason: "The seat is taken.", encodedValue: [0x18, 0x2a])
        let wire = WireOutcome(.rejected(rejection))
        #expect(wire == .rejected(code: .declined, reason: "The seat is taken.", value: [0x18, 0x2a]))
        guard case .rejected(let received) = EventOutcome(wire) else {
            Issue.record("It is another outcome.")
            return
        }
        let value = try received.value(as: Int.self)
        #expect(value == 42)
        #expect(received.code == .declined && received.reason == rejection.reason)
        #expect(RuntimeLimits.rejectionValueBytes == MessageLimits.maximumRejectionValue)
    }
}
