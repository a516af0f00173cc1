import Testing

@testable import LatticeChaos

/// What tells an event that is late from one that never ends.
@Suite struct ChaosStandstillTests {
    private static let start = ContinuousClock.now
    private static let patience: Duration = .seconds(30)

    /// The verdicts of a checker that looks at these seconds, at so many movements.
    private func verdicts(_ looks: [(second: Int, count: Int)]) -> [ChaosStandstill.Verdict?] {
        var standstill = ChaosStandstill(patience: Self.patience, at: Self.start)
        return looks.map { second, count in
            let isOver = standstill.isOver(at: count, now: Self.start + .seconds(second))
            #expect(isOver == (standstill.verdict != nil))
            return standstill.verdict
        }
    }

    @Test("What is late is waited for as long as something moves")
    func late() {
        let looks = [(0, 0), (29, 1), (58, 2), (87, 3), (116, 3)]
        #expect(verdicts(looks) == [nil, nil, nil, nil, nil])
    }

    @Test("Waiting stops when nothing has moved for the time of patience, and stays so")
    func still() {
        let still = ChaosStandstill.Verdict.still(.seconds(30))
        #expect(verdicts([(0, 0), (20, 5), (49, 5), (50, 5), (51, 6)]) == [nil, nil, nil, still, still])
        #expect(still.description == "nothing had moved for 30.0 seconds")
    }

    @Test("Waiting stops after ten times the patience, however much moves")
    func endless() {
        let endless = ChaosStandstill.Verdict.endless(.seconds(300))
        let looks = (0...301).map { (second: $0, count: $0) }
        #expect(verdicts(looks) == Array(repeating: nil, count: 300) + [endless, endless])
        #expect(endless.description == "after 300.0 seconds something still moved")
    }

    @Test("An event is late from the time of patience on, whether something moves or not")
    func isLate() {
        let standstill = ChaosStandstill(patience: Self.patience, at: Self.start)
        #expect(!standstill.isLate(now: Self.start + .seconds(29)))
        #expect(standstill.isLate(now: Self.start + .seconds(30)))
    }
}
