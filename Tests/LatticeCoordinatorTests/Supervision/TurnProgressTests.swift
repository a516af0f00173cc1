import Testing

@testable import LatticeCoordinator

struct TurnProgressTests {
    @Test("a worker works as long as turns begin and end, however late its answer is")
    func progress() {
        let start = ContinuousClock.now
        var progress = TurnProgress(number: 4, since: start)
        /// In milliseconds: when it is looked at, which number is found, and for how long nothing has changed.
        for (now, number, idle) in [(0, 4, 0), (300, 4, 300), (400, 5, 0), (900, 5, 500), (1_000, 8, 0)] {
            let found = progress.look(at: UInt64(number), now: start + .milliseconds(now))
            #expect(found == .milliseconds(idle))
        }
    }
}
