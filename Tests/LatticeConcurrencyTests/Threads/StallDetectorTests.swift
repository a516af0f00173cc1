import LatticeConcurrency
import Testing

struct StallDetectorTests {
    @Test("The time of a stall counts from the last look that found a change")
    func looks() {
        let start = ContinuousClock.now
        var detector = StallDetector(at: 4, since: start)
        /// The time of a look, the count that it finds, and the time without a change. Times are in milliseconds.
        for (now, count, idle) in [(0, 4, 0), (300, 4, 300), (400, 5, 0), (900, 5, 500), (1_000, 8, 0)] {
            let found = detector.look(at: UInt64(count), now: start + .milliseconds(now))
            #expect(found == .milliseconds(idle))
        }
    }
}
