import Testing

@testable import TallyProgram

struct StopwatchTests {
    private let start = ContinuousClock.now

    private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test("Paused time does not count")
    func pauses() {
        var stopwatch = Stopwatch()
        #expect(stopwatch.elapsed(at: at(5)) == .zero)
        stopwatch.start(at: at(10))
        #expect(stopwatch.elapsed(at: at(12)) == .seconds(2))
        stopwatch.stop(at: at(13))
        #expect(stopwatch.elapsed(at: at(1_000)) == .seconds(3))
        stopwatch.start(at: at(2_000))
        #expect(stopwatch.elapsed(at: at(2_004)) == .seconds(7))
    }

    @Test func repeatedPausesCountOnce() {
        var stopwatch = Stopwatch()
        stopwatch.start(at: at(0))
        stopwatch.start(at: at(5))
        #expect(stopwatch.elapsed(at: at(6)) == .seconds(6))
        stopwatch.stop(at: at(7))
        stopwatch.stop(at: at(9))
        #expect(stopwatch.elapsed(at: at(10)) == .seconds(7))
    }
}
