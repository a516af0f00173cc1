import LatticeCore
import LatticeWire
import Testing

@testable import LatticeHosting

struct ReceivedCrashReportTests {
    @Test(
        "A crash report goes to events that its incarnation interrupted, and to the quarantined event",
        arguments: [
            (.interrupted(cause: .signal(6), incarnation: 2), 9, true),
            (.interrupted(cause: .signal(6), incarnation: 1), 5, false),
            (.rejected(code: .quarantined, reason: ""), 5, true), (.rejected(code: .quarantined, reason: ""), 9, false),
            (.rejected(code: .closed, reason: ""), 5, false), (.finished, 5, false),
            (.failed(type: "Failure", message: ""), 5, false),
        ] as [(WireOutcome, UInt64, Bool)]
    )
    func explanations(outcome: WireOutcome, event: UInt64, isExplained: Bool) {
        var message = CrashReportMessage()
        message.incarnation = 2
        message.quarantined = 5
        message.output = ["Fatal error: out of luck"]
        let report = CrashReport(
            group: "",
            incarnation: 2,
            processID: 0,
            lifetime: .zero,
            output: ["Fatal error: out of luck"]
        )
        #expect(ReceivedCrashReport(message).explanation(of: outcome, of: event) == (isExplained ? report : nil))
    }

    @Test("A client decodes the same crash report, without an event whose sender is not valid")
    func copies() {
        let origin = EventOrigin(sender: .random(), channel: 3, feature: "tally", instance: "42")
        let (first, second) = (EventID(origin: origin, number: 1), EventID(origin: origin, number: .max >> 1))
        let report = CrashReport(
            group: "uploads",
            incarnation: 7,
            processID: 4711,
            lifetime: .milliseconds(1250),
            output: ["one", ""],
            turn: first,
            events: [first, second],
            effects: ["a", "b"]
        )
        var message = CrashReportMessage(report)
        #expect(CrashReport(message) == report)
        message.turn?.sender = [1]
        #expect(CrashReport(message).turn == nil)
    }
}
