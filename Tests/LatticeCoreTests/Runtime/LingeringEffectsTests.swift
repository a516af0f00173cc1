import LatticeTestSupport
import Testing

@testable import LatticeCore

/// Which of the cancelled effects of an event are reported, and how often.
@Suite(.timeLimit(.minutes(10)))
struct LingeringEffectsTests {
    @Test("An effect is reported once, although others of its event are cancelled before and after")
    func once() async throws {
        let reports = Watched<[Int]>([])
        let policy = LingeringEffects.Policy(grace: .milliseconds(1)) { report in
            reports.change { $0.append(report.effects) }
        }
        let effects = CancelledEffects(of: nil, policy: policy)
        for round in 1...3 {
            effects.insert([round])
            try await reports.until { $0.count == round }
        }
        #expect(reports.value == [1, 1, 1])
        #expect(!effects.isReportDue)
    }
}
