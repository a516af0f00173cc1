import LatticeCore
import Testing

struct EventOutcomeTests {
    @MainActor @Test func finishAlsoHasAFormWithoutAResult() async {
        let runtime = makeRuntime(0) { (_: inout Int, _: Int) in .perform { nil } }
        let task = runtime.send(1)
        let wait: () async -> Void = { await task.finish() }
        await wait()
        async let done: Void = task.finish()
        await done
        let outcome = await task.finish()
        #expect(outcome == .finished)
    }

    @Test(
        arguments: [
            (.finished, "finished"),
            (.failed(EffectFailure(Failure(description: "no net"))), "failed: Failure: no net"),
            (.cancelled, "cancelled"),
            (.rejected(.overloaded.with(reason: "200 waiting.")), "rejected: overloaded: 200 waiting."),
            (
                .interrupted(Interruption(cause: .signal(9), incarnation: 3)),
                "interrupted: killed by signal 9 (SIGKILL) (incarnation 3)"
            ),
        ] as [(EventOutcome, String)]
    )
    func description(outcome: EventOutcome, text: String) {
        #expect("\(outcome)" == text)
    }

    @Test func aFailureIsNotWrappedAgain() {
        let failure = EffectFailure(type: "A", message: "b")
        #expect(EffectFailure(failure) == failure)
    }
}
