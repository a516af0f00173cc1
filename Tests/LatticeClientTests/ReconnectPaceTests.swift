import Testing

@testable import LatticeClient

struct ReconnectPaceTests {
    private let start = ContinuousClock.now

    private func after(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    private func pace(jitter: Double = 0, seed: UInt64 = 1) -> ReconnectPace {
        var policy = ReconnectPolicy()
        policy.jitter = jitter
        return ReconnectPace(policy: policy, seed: seed)
    }

    @Test("A coordinator that accepts connections and drops them is retried ever more slowly, and then given up")
    func shortConnectionsDoNotBeginAnew() {
        var pace = pace()
        var now = 0
        var waits: [Int] = []
        pace.connected(at: after(0))
        pace.lost(at: after(10_000))
        now = 10_000
        while let delay = pace.nextDelay(at: after(now)) {
            let wait = Int(delay / .milliseconds(1))
            waits.append(wait)
            now += wait + 1
            pace.connected(at: after(now))
            now += 1
            pace.lost(at: after(now))
        }
        #expect(waits.prefix(7) == [50, 100, 200, 400, 800, 1600, 2000])
        #expect(waits.count == 20)
        #expect(now <= 10_000 + 30_000 + 2 * waits.count)
    }

    @Test func aStableConnectionResetsTheDelays() {
        var pace = pace()
        pace.connected(at: after(0))
        pace.lost(at: after(5))
        #expect(pace.nextDelay(at: after(5)) == .milliseconds(50))
        #expect(pace.nextDelay(at: after(100)) == .milliseconds(100))
        pace.connected(at: after(200))
        pace.lost(at: after(1_199))
        #expect(pace.nextDelay(at: after(1_199)) == .milliseconds(200))
        pace.connected(at: after(2_000))
        pace.lost(at: after(3_000))
        #expect(pace.nextDelay(at: after(3_000)) == .milliseconds(50))
        // The limit counts from there, too.
        #expect(pace.nextDelay(at: after(32_999)) == .milliseconds(1))
        #expect(pace.nextDelay(at: after(33_000)) == nil)
    }

    @Test(
        "Time while connected does not count towards the retry timeout, however short the connections are"
    )
    func connectedTimeIsNoTimeOfTrying() {
        var policy = ReconnectPolicy()
        policy.jitter = 0
        policy.timeout = .seconds(1)
        var pace = ReconnectPace(policy: policy, seed: 1)
        pace.connected(at: after(0))
        pace.lost(at: after(10_000))
        var now = 10_000
        for wait in [50, 100, 200, 400] {
            #expect(pace.nextDelay(at: after(now)) == .milliseconds(wait))
            now += wait
            // Just too short for a stable one.
            pace.connected(at: after(now))
            now += 999
            pace.lost(at: after(now))
        }
        #expect(pace.nextDelay(at: after(now)) == .milliseconds(250))
        #expect(pace.nextDelay(at: after(now + 250)) == nil)
    }

    @Test func waitsVaryByTheirSeed() {
        let waits = (1...3 as ClosedRange<UInt64>).map { seed in
            var pace = pace(jitter: 0.2, seed: seed)
            pace.lost(at: after(0))
            return (0..<5).compactMap { _ in pace.nextDelay(at: after(0)) }
        }
        #expect(Set(waits).count == 3)
        for waits in waits {
            for (wait, middle) in zip(waits, [50, 100, 200, 400, 800]) {
                #expect(wait >= .milliseconds(middle) * 0.8 && wait <= .milliseconds(middle) * 1.2)
            }
        }
        var again = pace(jitter: 0.2, seed: 3)
        again.lost(at: after(0))
        #expect((0..<5).compactMap { _ in again.nextDelay(at: after(0)) } == waits[2])
    }
}
