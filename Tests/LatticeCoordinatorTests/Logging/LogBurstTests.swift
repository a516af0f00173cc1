import Testing

@testable import LatticeCoordinator

/// A burst that may be changed inside an expectation.
private final class Burst {
    private var burst = LogBurst()

    func note(at now: ContinuousClock.Instant) -> Bool { burst.note(at: now) }
    func tick(now: ContinuousClock.Instant) -> Int? { burst.tick(now: now) }
}

struct LogBurstTests {
    private let start = ContinuousClock.now

    private func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    @Test func theFirstIsLoggedAtOnceAndTheOthersTogether() {
        let burst = Burst()
        #expect(burst.note(at: at(0)))
        for time in 1...500 {
            #expect(!burst.note(at: at(time)))
        }
        #expect(burst.tick(now: at(1_499)) == nil)
        #expect(burst.tick(now: at(1_500)) == 500)
        #expect(burst.tick(now: at(3_000)) == nil)
        // The next one is a first one again.
        #expect(burst.note(at: at(4_000)))
        #expect(burst.tick(now: at(5_000)) == nil)
        #expect(burst.note(at: at(5_001)))
    }

    @Test func aBurstWithoutEndIsLoggedPeriodically() {
        let burst = Burst()
        var reported: [Int] = []
        for time in stride(from: 0, to: 30_000, by: 100) {
            if burst.note(at: at(time)) { reported.append(1) }
            if let more = burst.tick(now: at(time)) { reported.append(more) }
        }
        #expect(reported == [1, 100, 100])
    }
}
