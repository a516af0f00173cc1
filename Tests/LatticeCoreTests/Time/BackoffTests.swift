import LatticeCore
import Testing

@Suite(.timeLimit(.minutes(10)))
struct BackoffTests {
    private func delays(of backoff: Backoff, seed: UInt64 = 1) -> [Duration] {
        var generator = SeededGenerator(seed: seed)
        var delays: [Duration] = []
        while let delay = backoff.delay(after: delays.count + 1, using: &generator) { delays.append(delay) }
        return delays
    }

    @Test(
        arguments: [
            (.constant(.seconds(1), attempts: 1), []),
            (.constant(.seconds(1), attempts: 3), [1000, 1000]),
            (.constant(.zero, attempts: 2), [0]),
            (.exponential(from: .milliseconds(100), jitter: 0, attempts: 5), [100, 200, 400, 800]),
            (
                .exponential(
                    from: .milliseconds(10),
                    factor: 10,
                    maximumDelay: .milliseconds(500),
                    jitter: 0,
                    attempts: 5
                ),
                [10, 100, 500, 500]
            ),
            (.exponential(from: .seconds(60), maximumDelay: .seconds(1), jitter: 0, attempts: 2), [1000]),
            (.exponential(from: .zero, jitter: 0, attempts: 3), [0, 0]),
        ] as [(Backoff, [Int])]
    )
    func delays(backoff: Backoff, milliseconds: [Int]) {
        #expect(delays(of: backoff) == milliseconds.map { .milliseconds($0) })
    }

    @Test func jitterStaysInItsShareAndUnderTheLimit() {
        let backoff = Backoff.exponential(
            from: .milliseconds(100),
            maximumDelay: .seconds(2),
            jitter: 0.5,
            attempts: 200
        )
        let delays = delays(of: backoff)
        #expect(delays.count == 199)
        #expect((.milliseconds(50) ... .milliseconds(150)).contains(delays[0]))
        #expect((.milliseconds(100) ... .milliseconds(300)).contains(delays[1]))
        #expect(delays[10...].allSatisfy { (.seconds(1) ... .seconds(2)).contains($0) })
        #expect(Set(delays).count > 50)
        #expect(self.delays(of: backoff) == delays)
        #expect(self.delays(of: backoff, seed: 2) != delays)
    }

    @Test func manyAttemptsDoNotOverflow() {
        var generator = SeededGenerator(seed: 1)
        let backoff = Backoff.exponential(maximumDelay: .seconds(30), jitter: 0, attempts: .max)
        #expect(backoff.delay(after: .max - 1, using: &generator) == .seconds(30))
    }

    @Test(
        "A wait that no `Duration` can represent becomes the limit (F100)",
        arguments: [
            (
                .exponential(from: .seconds(1), factor: 1e30, maximumDelay: .seconds(30), jitter: 0, attempts: 5),
                [1, 30, 30, 30]
            ),
            (
                .exponential(from: .seconds(2), factor: 1e308, maximumDelay: .seconds(30), jitter: 0, attempts: 4),
                [2, 30, 30]
            ),
            (
                .exponential(
                    from: .nanoseconds(1),
                    factor: .greatestFiniteMagnitude,
                    maximumDelay: .seconds(Int64.max),
                    jitter: 0,
                    attempts: 4
                ), [1e-9, 9.223372036854776e18, 9.223372036854776e18]
            ),
            (
                .exponential(from: .seconds(1e20), maximumDelay: .seconds(1.5e20), jitter: 0, attempts: 3),
                [1e20, 1.5e20]
            ),
            (.constant(.seconds(1.7e20), attempts: 2), [1.7e20]),
            (.exponential(from: .zero, factor: 1e300, maximumDelay: .seconds(30), jitter: 0, attempts: 3), [0, 0]),
        ] as [(Backoff, [Double])]
    )
    func aWaitNeverOverflows(backoff: Backoff, seconds: [Double]) {
        let found = delays(of: backoff).map { $0 / .seconds(1) }
        #expect(found.count == seconds.count)
        for (found, expected) in zip(found, seconds) where abs(found - expected) > expected * 1e-9 {
            Issue.record("\(found) s instead of \(expected) s")
        }
    }

    @Test("Jitter never exceeds the limit or overflows (F100)")
    func jitterNeverOverflows() {
        let limit = Duration.seconds(1.6e20)
        let backoff = Backoff.exponential(from: limit, factor: 1e30, maximumDelay: limit, jitter: 1, attempts: 100)
        for seed in 1...20 {
            let delays = delays(of: backoff, seed: UInt64(seed))
            #expect(delays.count == 99)
            #expect(delays.allSatisfy { $0 >= .zero && $0 <= limit })
        }
    }

    @Test func nonsenseIsRefused() async {
        await #expect(processExitsWith: .failure) { _ = Backoff.constant(.seconds(1), attempts: 0) }
        await #expect(processExitsWith: .failure) { _ = Backoff.constant(.seconds(-1), attempts: 1) }
        await #expect(processExitsWith: .failure) { _ = Backoff.exponential(factor: 0.5, attempts: 1) }
        await #expect(processExitsWith: .failure) { _ = Backoff.exponential(factor: .infinity, attempts: 1) }
        await #expect(processExitsWith: .failure) { _ = Backoff.exponential(factor: .nan, attempts: 1) }
        await #expect(processExitsWith: .failure) { _ = Backoff.exponential(jitter: 1.5, attempts: 1) }
        await #expect(processExitsWith: .failure) { _ = Backoff.exponential(jitter: .nan, attempts: 1) }
    }
}
