import LatticeTesting
import Testing

@testable import LatticeCore

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct EmissionRetryTests {
    private let clock = TestClock()
    private let attempts = Shared(0)

    /// "go" asks for `emission`; other actions are kept.
    private func makeRuntime(_ emission: Emission<String>) -> FeatureRuntime<[String], String> {
        LatticeCoreTests.makeRuntime([]) { (state: inout [String], action: String) in
            if action == "go" { return emission }
            state.append(action)
            return .none
        }
    }

    /// Fails until the given attempt.
    private func failing(until success: Int) -> Emission<String> {
        .perform { [attempts] in
            attempts.increment()
            guard attempts.value >= success else { throw Failure(description: "\(attempts.value)") }
            return "attempt \(attempts.value)"
        }
    }

    @Test("A failed effect is retried after its delays (W40)")
    func retries() async {
        let runtime = makeRuntime(
            failing(until: 3).retry(.exponential(from: .seconds(1), jitter: 0, attempts: 3), clock: clock)
        )
        let task = runtime.send("go")
        await clock.advance(by: .milliseconds(999))
        #expect(attempts.value == 1)
        await clock.advance(by: .milliseconds(1))
        #expect(attempts.value == 2)
        await clock.advance(by: .milliseconds(1999))
        #expect(attempts.value == 2)
        await clock.advance(by: .milliseconds(1))
        #expect(await task.finish() == .finished)
        #expect(runtime.state == ["attempt 3"])
    }

    @Test func theLastErrorIsTheEffects() async {
        let runtime = makeRuntime(failing(until: 9).retry(.constant(.seconds(1), attempts: 2), clock: clock))
        await withKnownIssue {
            let task = runtime.send("go")
            await clock.advance(by: .seconds(1))
            #expect(await task.finish() == .failed(EffectFailure(type: "Failure", message: "2")))
        }
        #expect(attempts.value == 2)
    }

    @Test func onlyMatchingErrorsAreRetried() async {
        let runtime = makeRuntime(
            failing(until: 9)
                .retry(.constant(.seconds(1), attempts: 5), clock: clock) { "\($0)" != "2" }
                .catch { "gave up: \($0)" }
        )
        let task = runtime.send("go")
        await clock.advance(by: .seconds(1))
        #expect(await task.finish() == .finished)
        #expect(runtime.state == ["gave up: 2"])
    }

    @Test func cancellingEndsTheWait() async {
        let runtime = makeRuntime(failing(until: 9).retry(.constant(.seconds(1), attempts: 5), clock: clock))
        let task = runtime.send("go")
        await clock.advance(by: .seconds(1))
        task.cancel()
        #expect(await task.finish() == .cancelled)
        await clock.advance(by: .seconds(10))
        #expect(attempts.value == 2)
    }

    @Test func aCancellationErrorIsNotRetried() async {
        let runtime = makeRuntime(
            .perform { [attempts] in
                attempts.increment()
                throw CancellationError()
            }
            .retry(.constant(.zero, attempts: 5), clock: clock)
        )
        #expect(await runtime.send("go").finish() == .cancelled)
        #expect(attempts.value == 1)
    }

    @Test func runsAreRetriedAndKeepTheirSentActions() async {
        let attempts = attempts
        let runtime = makeRuntime(
            .run { send in
                attempts.increment()
                await send("sent \(attempts.value)")
                if attempts.value < 2 { throw Failure(description: "no") }
                await send("done")
            }
            .retry(.constant(.zero, attempts: 2), clock: clock)
        )
        #expect(await runtime.send("go").finish() == .finished)
        #expect(runtime.state == ["sent 1", "sent 2", "done"])
    }

    @Test func eachEffectOfAStructureIsTriedForItself() async {
        let other = Shared(0)
        let emission = Emission<String>.append(
            failing(until: 2),
            .merge(
                .action("action"),
                .perform {
                    other.increment()
                    if other.value < 3 { throw Failure(description: "no") }
                    return nil
                }
            ),
            .perform { "end" }
        )
        let runtime = makeRuntime(emission.retry(.constant(.zero, attempts: 3), clock: clock))
        #expect(await runtime.send("go").finish() == .finished)
        #expect(runtime.state == ["attempt 2", "action", "end"])
        #expect(other.value == 3)
    }

    @Test func effectsThatCannotThrowAreLeftAlone() {
        for emission in [Emission<Int>.perform { 1 }, .observe { AsyncStream { $0.finish() } }, .action(1), .none] {
            let retried = emission.retry(.constant(.zero, attempts: 3))
            #expect(retried.shape == emission.shape)
            #expect(retried.starter == nil)
        }
    }

    @Test func theSeedDecidesTheJitter() async {
        let backoff = Backoff.exponential(from: .seconds(1), jitter: 1, attempts: 2)
        var generator = SeededGenerator(seed: 5)
        let delay = backoff.delay(after: 1, using: &generator) ?? .zero
        let runtime = makeRuntime(failing(until: 2).retry(backoff, clock: clock, seed: 5))
        let task = runtime.send("go")
        await clock.advance(by: delay - .nanoseconds(1))
        #expect(attempts.value == 1)
        await clock.advance(by: .nanoseconds(1))
        #expect(await task.finish() == .finished)
        #expect(attempts.value == 2)
    }

    @Test func aDebounceInsideTakesItsPlaceAtOnce() async {
        let debouncer = Debouncer<TestClock, String?>(for: .milliseconds(300), clock: clock)
        let runtime = makeRuntime(
            failing(until: 1).debounce(using: debouncer).retry(.constant(.zero, attempts: 2), clock: clock)
        )
        let tasks = (0..<3).map { _ in runtime.send("go") }
        await clock.advance(by: .milliseconds(300))
        for task in tasks { #expect(await task.finish() == .finished) }
        #expect(runtime.state == ["attempt 1"])
    }
}
