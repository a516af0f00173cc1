import LatticeConcurrency
import Testing

struct StallDetectorTests {
    @Test("time counts from the look that found another count")
    func looks() {
        let start = ContinuousClock.now
        var standstill = StallDetector(at: 4, since: start)
        /// In milliseconds: when it is looked at, which count is found, and for how long nothing has changed.
        for (now, count, idle) in [(0, 4, 0), (300, 4, 300), (400, 5, 0), (900, 5, 500), (1_000, 8, 0)] {
            let found = standstill.look(at: UInt64(count), now: start + .milliseconds(now))
            #expect(found == .milliseconds(idle))
        }
    }
}
