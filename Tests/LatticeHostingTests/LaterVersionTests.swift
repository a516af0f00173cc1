import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

/// Tests that codes of a later version are kept and shown with their texts.
struct LaterVersionTests {
    @Test func aLaterOutcomeIsUnknown() {
        let outcome = EventOutcome(WireOutcome.other(number: 99, sentence: "postponed"))
        guard case .unknown(let unknown) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(unknown.reason == "Only a later version knows how the event ended (outcome 99): postponed")
    }

    @Test func aCauseIsPassedOnAsItCame() {
        let wire = WireOutcome.interrupted(cause: .other(number: 900, sentence: "evicted"), incarnation: 3)
        let outcome = EventOutcome(wire)
        #expect(outcome.description == "interrupted: evicted (incarnation 3)")
        #expect(WireOutcome(outcome) == wire)
    }

    @Test func aRejectionKeepsItsNumberAndItsSentence() {
        let wire = WireOutcome.rejected(code: RejectionCode(rawValue: 200), reason: "it rains")
        let outcome = EventOutcome(wire)
        #expect(outcome.description == "rejected: rejection 200: it rains")
        #expect(WireOutcome(outcome) == wire)
    }

    @Test func aStatusIsPassedOnAsItCame() {
        let message = HostStatusMessage(kind: .init(rawValue: 99), reason: "it moves house")
        let status = HostStatus(message, from: nil)
        #expect(status.description == "it moves house")
        #expect(HostStatusMessage(status) == message)
    }

    @Test(arguments: SessionLink.allCases)
    func aRoleIsRefusedByItsNumber(link: SessionLink) async throws {
        try await SessionPair.with(link, hello: Handshakes.hello(role: Role(rawValue: 77)), isOpen: false) { pair in
            let error = try await pair.initiated.record.until { $0.closed > 0 }.error
            #expect(error?.refusal == .role)
            #expect(error?.detail.hasPrefix("a process of role 77") == true)
        }
    }
}
