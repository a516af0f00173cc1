import LatticeCore
import LatticeWire
import Testing

@testable import LatticeHosting
@testable import LatticeSession

struct ReceivedCrashReportsTests {
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
        var reports = ReceivedCrashReports()
        reports.add(message)
        #expect(reports.explanation(of: outcome, of: event) == (isExplained ? report : nil))
    }

    @Test("Each of several crash reports explains the outcomes of its incarnation, and old reports are forgotten")
    func several() {
        var reports = ReceivedCrashReports()
        let last = UInt64(ChannelUpdate.maximumCrashReports) + 1
        for incarnation in 1...last {
            var message = CrashReportMessage()
            message.incarnation = incarnation
            reports.add(message)
            // A report that is sent again, with the quarantined event, replaces the first one.
            message.quarantined = 100 + incarnation
            reports.add(message)
        }
        func incarnation(of outcome: WireOutcome, _ event: UInt64) -> UInt64? {
            reports.explanation(of: outcome, of: event)?.incarnation
        }
        for number in 1...last {
            let expected = number == 1 ? nil : number
            #expect(incarnation(of: .interrupted(cause: .signal(6), incarnation: number), 5) == expected)
            #expect(incarnation(of: .rejected(code: .quarantined, reason: ""), 100 + number) == expected)
        }
    }

    /// A promise without a waiter.
    private final class Ignored: EventPromise {
        func ended(_ outcome: WireOutcome, report: TerminationReport?) {}
    }

    @Test("Outcomes keep the report of their session, although the next one has incarnations with the same numbers")
    func sessions() {
        func update(_ changes: [ChannelUpdate.Change]) -> ChannelUpdate {
            var update = ChannelUpdate()
            for change in changes { update.add(change) }
            let outcome = WireOutcome.interrupted(cause: .signal(6), incarnation: 1)
            update.endings = [ChannelUpdate.Ending(promise: Ignored(), outcome: outcome, event: 1)]
            return update
        }
        func report(_ process: UInt32) -> ChannelUpdate.Change {
            var message = CrashReportMessage()
            (message.incarnation, message.processID) = (1, process)
            return .crashReport(message)
        }
        var reports = ReceivedCrashReports()
        var joined = ChannelUpdate()
        for changes in [[.opened, report(101)], [.opened], [report(202)], []] as [[ChannelUpdate.Change]] {
            joined.merge(reports.explain(update(changes)))
        }
        #expect(joined.endings.map { $0.report?.crash?.processID } == [101, nil, 202, 202])
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
