import LatticeWire
import Testing

@testable import LatticeSession

struct SentOutcomesTests {
    @Test func unlistedEventsHaveFinished() {
        var sent = SentOutcomes()
        sent.note(1, .finished)
        sent.note(2, .cancelled)
        sent.note(3, .rejected(code: .overloaded, reason: ""))
        #expect(
            [1, 2, 3, 4].map { sent.outcome(of: $0) } == [
                .finished, .cancelled, .rejected(code: .overloaded, reason: ""), .finished,
            ]
        )
    }

    @Test func forgottenEventsAreNotReportedAsFinished() {
        var sent = SentOutcomes()
        let count = UInt64(3 * SentOutcomes.limit)
        for event in 1...count {
            sent.note(event, .cancelled)
            sent.note(event, .cancelled)
        }
        let firstKept = count - UInt64(SentOutcomes.limit) + 1
        #expect(sent.outcome(of: firstKept) == .cancelled)
        #expect(sent.outcome(of: count) == .cancelled)
        #expect(sent.outcome(of: firstKept - 1) == .tooLongAgo)
        #expect(sent.outcome(of: 1) == .tooLongAgo)
        #expect(sent.outcome(of: count + 1) == .finished)
    }
}
