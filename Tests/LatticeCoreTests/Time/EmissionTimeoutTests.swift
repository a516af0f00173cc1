import LatticeConcurrency
import LatticeTesting
import Testing

@testable import LatticeCore

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct EmissionTimeoutTests {
    private let clock = TestClock()

    /// "go" asks for `emission`; other actions are kept.
    private func makeRuntime(_ emission: Emission<String>) -> FeatureRuntime<[String], String> {
        LatticeCoreTests.makeRuntime([]) { (state: inout [String], action: String) in
            if action == "go" { return emission }
            state.append(action)
            return .none
        }
    }

    @Test("An effect that takes too long is cancelled and fails (W40)")
    func fails() async {
        let cancelled = Gate()
        let runtime = makeRuntime(
            .perform {
                try? await waitForCancellation()
                cancelled.open()
                return "late"
            }
            .timeout(.seconds(5), clock: clock)
        )
        await withKnownIssue {
            let task = runtime.send("go")
            // Its deadline is fixed: it need not have begun to sleep.
            await clock.advance(by: .seconds(5))
            #expect(
                await task.finish()
                    == .failed(EffectFailure(type: "EffectTimeout", message: "did not end within 5.0 seconds"))
            )
        } matching: { issue in
            issue.comments.contains {
                $0.rawValue.contains("nothing caught: EffectTimeout: did not end within 5.0 seconds")
            }
        }
        await cancelled.wait()
        #expect(runtime.state == [])
    }

    @Test func inTimeIsInTime() async {
        let runtime = makeRuntime(.perform { "in time" }.timeout(.seconds(5), clock: clock))
        #expect(await runtime.send("go").finish() == .finished)
        #expect(runtime.state == ["in time"])
    }

    @Test func workThatDoesNotListenIsNotWaitedFor() async {
        let goOn = Gate()
        let ended = Gate()
        let runtime = makeRuntime(
            .run { send in
                await goOn.wait()
                await send("late")
                ended.open()
            }
            .timeout(.seconds(5), clock: clock)
            .catch { _ in "timed out" }
        )
        let task = runtime.send("go")
        await clock.advance(by: .seconds(5))
        #expect(await task.finish() == .finished)
        goOn.open()
        await ended.wait()
        #expect(runtime.state == ["timed out"])
    }

    @Test("Work that outlives its timeout and its grace period ends its process")
    func overdue() async {
        let goOn = Gate()
        let runtime = makeRuntime(
            .run { _ in await goOn.wait() }
                .timeout(.seconds(5), endingWorker: .seconds(2), clock: clock)
                .catch { "\($0)" }
        )
        let ended = OneShot<OverdueEffect>()
        let task = runtime.send("go")
        await clock.advance(by: .seconds(5))
        #expect(await task.finish() == .finished)
        #expect(runtime.state == ["did not end within 5.0 seconds"])
        // Workers that other tests run in this process have set their own.
        OverdueEffect.endProcess { ended.complete($0) }
        await clock.advance(by: .seconds(2))
        let effect = await ended.wait()
        #expect(effect?.sentence == "An effect has not ended 2.0 seconds after its timeout of 5.0 seconds")
        goOn.open()
    }

    @Test("In a process that is not a worker, an overdue effect is reported, because nothing can be ended")
    func overdueInProcess() {
        withKnownIssue {
            OverdueEffect(cause: .timeout("5.0 seconds"), grace: "2.0 seconds").report()
        } matching: { issue in
            "\(issue)".contains("has not ended 2.0 seconds after its timeout of 5.0 seconds")
        }
    }

    @Test("Work that returns in its grace period ends nothing", arguments: [true, false])
    func inGracePeriod(isInTime: Bool) async {
        let runtime = makeRuntime(
            .perform {
                if !isInTime { try? await waitForCancellation() }
                return "done"
            }
            .timeout(.seconds(5), endingWorker: .seconds(2), clock: clock)
            .catch { _ in "timed out" }
        )
        let task = runtime.send("go")
        if !isInTime { await clock.advance(by: .seconds(5)) }
        #expect(await task.finish() == .finished)
        await clock.advance(by: .seconds(10))
        #expect(runtime.state == [isInTime ? "done" : "timed out"])
    }

    @Test func aStreamHasToEndInTime() async {
        let (stream, continuation) = AsyncStream<String>.makeStream()
        let ended = Gate()
        continuation.onTermination = { _ in ended.open() }
        let runtime = makeRuntime(.observe { stream }.timeout(.seconds(5), clock: clock).catch { _ in "timed out" })
        let seen = Gate()
        runtime.onTurn = { [weak runtime] _ in
            if runtime?.state == ["element"] { seen.open() }
        }
        let task = runtime.send("go")
        continuation.yield("element")
        await seen.wait()
        await clock.advance(by: .seconds(5))
        #expect(await task.finish() == .finished)
        await ended.wait()
        #expect(runtime.state == ["element", "timed out"])
    }

    @Test func errorsAndCancellationPass() async {
        let failing = makeRuntime(
            .perform { throw Failure(description: "no net") }.timeout(.seconds(5), clock: clock).catch { "\($0)" }
        )
        #expect(await failing.send("go").finish() == .finished)
        #expect(failing.state == ["no net"])

        let started = Gate()
        let cancelled = Gate()
        let endless = makeRuntime(
            .perform {
                try? await waitForCancellation(started: started)
                cancelled.open()
                return nil
            }
            .timeout(.seconds(5), clock: clock)
        )
        let task = endless.send("go")
        await started.wait()
        task.cancel()
        #expect(await task.finish(cancellationGrace: .seconds(3_600)) == .cancelled)
        #expect(cancelled.isOpen)
    }

    @Test func insideARetryEachAttemptHasItsTime() async {
        let attempts = Shared(0)
        let runtime = makeRuntime(
            .perform {
                attempts.increment()
                if attempts.value < 3 { try await waitForCancellation() }
                return "attempt \(attempts.value)"
            }
            .timeout(.seconds(5), clock: clock)
            .retry(.constant(.seconds(1), attempts: 3), clock: clock)
        )
        let task = runtime.send("go")
        await clock.advance(by: .seconds(12))
        #expect(await task.finish() == .finished)
        #expect(runtime.state == ["attempt 3"])
    }

    @Test func mappedEffectsKeepTheirTime() async {
        let emission = Emission<Int>.perform {
            try? await waitForCancellation()
            return 1
        }
        .timeout(.seconds(5), clock: clock)
        .catch { _ in 2 }
        .map { "\($0)" }
        let runtime = makeRuntime(emission)
        let task = runtime.send("go")
        await clock.advance(by: .seconds(5))
        #expect(await task.finish() == .finished)
        #expect(runtime.state == ["2"])
    }
}
