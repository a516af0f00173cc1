import LatticeConcurrency
import LatticeTesting
import Testing

@testable import LatticeCore

/// Effects that end their worker when they ignore a cancellation.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct EmissionCancellationTests {
    private let clock = TestClock()

    @Test(
        "An effect that returns when it is cancelled, or that is not cancelled, ends nothing",
        arguments: [true, false]
    )
    func returning(isCancelled: Bool) async {
        let (started, gate, ended) = (Gate(), Gate(), Gate())
        let runtime = makeRuntime(0) { (state: inout Int, action: Int) in
            state += action
            guard action == 0 else { return .none }
            return .run { send in
                started.open()
                if isCancelled { try? await Task.sleep(for: .seconds(3_600)) } else { await gate.wait() }
                await send(5)
                ended.open()
            }
            .whenCancelled(endingWorkerAfter: .seconds(2), clock: clock)
        }
        let task = runtime.send(0)
        await started.wait()
        if isCancelled { task.cancel() } else { gate.open() }
        #expect(await task.finish() == (isCancelled ? .cancelled : .finished))
        await ended.wait()
        // The work has returned, and now the modifier has noticed it.
        _ = await task.finish(cancellationGrace: .seconds(3_600))
        #expect(runtime.state == (isCancelled ? 0 : 5))
        // An effect that is overdue in this process would be an issue of this test.
        await clock.advance(by: .seconds(10))
    }

    @Test("An effect that is cancelled before it begins never begins")
    func neverBegins() async {
        let starts = Shared(0)
        let runtime = makeRuntime(0, effectStart: .held) { (_: inout Int, _: Int) in
            .perform {
                starts.increment()
                return nil
            }
            .whenCancelled(endingWorkerAfter: .seconds(2), clock: clock)
        }
        let task = runtime.send(0)
        task.cancel()
        runtime.startHeldEffects()
        #expect(await task.finish() == .cancelled)
        let second = runtime.send(1)
        runtime.startHeldEffects()
        #expect(await second.finish() == .finished)
        #expect(starts.value == 1)
    }

    @Test("The sentence of an effect that has not ended after its cancellation says so")
    func sentence() {
        #expect(
            OverdueEffect(cause: .cancellation, grace: "2.0 seconds").sentence
                == "An effect has not ended 2.0 seconds after its cancellation"
        )
    }
}
