import Testing

@testable import LatticeChaos

/// What tells an event that is late from one that never ends.
@Suite struct ChaosStallDetectorTests {
    private static let start = ContinuousClock.now
    private static let patience: Duration = .seconds(30)

    /// Returns the verdicts of a checker that looks at these seconds and finds these counts of progress.
    private func verdicts(_ looks: [(second: Int, count: Int)]) -> [ChaosStallDetector.Verdict?] {
        var stallDetector = ChaosStallDetector(patience: Self.patience, at: Self.start)
        return looks.map { second, count in
            let isOver = stallDetector.isOver(at: count, now: Self.start + .seconds(second))
            #expect(isOver == (stallDetector.verdict != nil))
            return stallDetector.verdict
        }
    }

    @Test("The checker waits for a late event as long as others make progress")
    func late() {
        let looks = [(0, 0), (29, 1), (58, 2), (87, 3), (116, 3)]
        #expect(verdicts(looks) == [nil, nil, nil, nil, nil])
    }

    @Test("Waiting ends when nothing has changed for the time of patience, and stays ended")
    func still() {
        let still = ChaosStallDetector.Verdict.stalled(.seconds(30))
        #expect(verdicts([(0, 0), (20, 5), (49, 5), (50, 5), (51, 6)]) == [nil, nil, nil, still, still])
        #expect(still.description == "there was no progress for 30.0 seconds")
    }

    @Test("Waiting ends after ten times the patience, whatever the progress")
    func endless() {
        let endless = ChaosStallDetector.Verdict.endless(.seconds(300))
        let looks = (0...301).map { (second: $0, count: $0) }
        #expect(verdicts(looks) == Array(repeating: nil, count: 300) + [endless, endless])
        #expect(endless.description == "there was still progress after 300.0 seconds")
    }

    @Test("An event is late after the time of patience, with or without progress")
    func isLate() {
        let stallDetector = ChaosStallDetector(patience: Self.patience, at: Self.start)
        #expect(!stallDetector.isLate(now: Self.start + .seconds(29)))
        #expect(stallDetector.isLate(now: Self.start + .seconds(30)))
    }
}
