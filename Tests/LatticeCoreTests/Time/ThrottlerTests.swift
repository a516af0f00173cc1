import LatticeTesting
import Testing

@testable import LatticeCore

@Suite(.timeLimit(.minutes(10)))
struct ThrottlerTests {
    private let clock = TestClock()

    private func makeThrottler(_ edges: ThrottleEdges) -> Throttler<TestClock, Int> {
        Throttler(for: .milliseconds(100), clock: clock, edges: edges)
    }

    @Test(
        "In each period the first call runs, the last one, or both (W40)",
        arguments: [
            (.leading, [.executed(1), .skipped, .skipped]),
            (.trailing, [.skipped, .skipped, .executed(3)]),
            (.both, [.executed(1), .skipped, .executed(3)]),
        ] as [(ThrottleEdges, [ThrottleResult<Int>])]
    )
    func edges(edges: ThrottleEdges, expected: [ThrottleResult<Int>]) async {
        let throttler = makeThrottler(edges)
        let ran = Shared<[Int]>([])
        var tasks: [Task<ThrottleResult<Int>, Never>] = []
        for number in 1...3 {
            tasks.append(
                await throttler.throttle {
                    ran.update { $0.append(number) }
                    return number
                }
            )
        }
        await clock.advance(by: .milliseconds(99))
        #expect(ran.value == (edges == .trailing ? [] : [1]))
        await clock.advance(by: .milliseconds(1))
        for (task, result) in zip(tasks, expected) { #expect(await task.value == result) }
        #expect(ran.value.count == expected.filter { $0 != .skipped }.count)
    }

    @Test func workThatRunsIsLeftAlone() async {
        let throttler = makeThrottler(.leading)
        let finish = Gate()
        let long = await throttler.throttle {
            await finish.wait()
            return Task.isCancelled ? 0 : 1
        }
        await clock.advance(by: .milliseconds(100))
        let next = await throttler.throttle { 2 }
        #expect(await next.value == .executed(2))
        finish.open()
        #expect(await long.value == .executed(1))
    }

    @Test("Cancelling a waiting call ends it at once, and the period continues (W4)")
    func cancelling() async {
        let throttler = makeThrottler(.trailing)
        let first = await throttler.throttle { 1 }
        first.cancel()
        #expect(await first.value == .skipped)
        await clock.advance(by: .milliseconds(50))
        let second = await throttler.throttle { 2 }
        await clock.advance(by: .milliseconds(50))
        #expect(await second.value == .executed(2))
    }

    @Test("Cancelling a call cancels its work (W4)")
    func cancellingWork() async {
        let started = Gate()
        let cancelled = Gate()
        let throttler = makeThrottler(.trailing)
        let task = await throttler.throttle {
            try? await waitForCancellation(started: started)
            cancelled.open()
            return 1
        }
        await clock.advance(by: .milliseconds(100))
        await started.wait()
        task.cancel()
        await cancelled.wait()
        #expect(await task.value == .skipped)
    }

    @Test func periodsThatAreOverAreThrownAway() async {
        let calls = ThrottleCalls(for: .milliseconds(100), clock: clock, edges: .leading)
        for round in 0..<4 {
            for key in 0..<100 {
                let call = calls.begin(EffectID([round, key])) { key }
                #expect(await call() == .executed(key))
            }
            await clock.advance(by: .milliseconds(100))
        }
        #expect(calls.count <= 200)
    }

    @Test func theSystemsClock() async {
        let throttler = Throttler<ContinuousClock, Int>(for: .milliseconds(1))
        #expect(await throttler.throttle { 1 }.value == .executed(1))
        #expect(await throttler.throttle { 2 }.value == .executed(2))
    }
}
