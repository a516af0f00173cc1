import LatticeTesting
import Testing

@testable import LatticeCore

@Suite(.timeLimit(.minutes(10)))
struct DebouncerTests {
    private let clock = TestClock()
    private let ran = Shared<[String]>([])

    private func makeDebouncer() -> Debouncer<TestClock, String> {
        Debouncer(for: .milliseconds(300), clock: clock)
    }

    private func work(_ name: String) -> @Sendable () async -> String {
        { [ran] in
            ran.update { $0.append(name) }
            return name
        }
    }

    @Test("The task is available at once, and has a value after the period (contract 10)")
    func delays() async {
        let task = await makeDebouncer().debounce(work("a"))
        #expect(ran.value == [])
        await clock.advance(by: .milliseconds(299))
        #expect(ran.value == [])
        await clock.advance(by: .milliseconds(1))
        #expect(ran.value == ["a"])
        #expect(await task.value == .executed("a"))
    }

    @Test("Of several calls only the last one runs (contract 11)")
    func lastWins() async {
        let debouncer = makeDebouncer()
        let first = await debouncer.debounce(work("a"))
        let second = await debouncer.debounce(work("b"))
        let third = await debouncer.debounce(work("c"))
        await clock.advance(by: .milliseconds(300))
        #expect(await first.value == .superseded)
        #expect(await second.value == .superseded)
        #expect(await third.value == .executed("c"))
        #expect(ran.value == ["c"])
        #expect(debouncer.calls.count == 0)
    }

    @Test("Executed work may return nil (contract 12)")
    func executedNil() async {
        let debouncer = Debouncer<TestClock, Int?>(for: .milliseconds(300), clock: clock)
        let task = await debouncer.debounce { nil }
        await clock.advance(by: .milliseconds(300))
        #expect(await task.value == .executed(nil))
        #expect(await task.value != .superseded)
    }

    @Test("A call within the period restarts it (contract 13)")
    func restarts() async {
        let debouncer = makeDebouncer()
        let first = await debouncer.debounce(work("a"))
        await clock.advance(by: .milliseconds(200))
        let second = await debouncer.debounce(work("b"))
        await clock.advance(by: .milliseconds(200))
        #expect(ran.value == [])
        await clock.advance(by: .milliseconds(100))
        #expect(ran.value == ["b"])
        #expect(await first.value == .superseded)
        #expect(await second.value == .executed("b"))
    }

    @Test("Calls with a period between them both run (contract 14)")
    func separateCalls() async {
        let debouncer = makeDebouncer()
        for name in ["a", "b"] {
            let task = await debouncer.debounce(work(name))
            await clock.advance(by: .milliseconds(300))
            #expect(await task.value == .executed(name))
        }
        #expect(ran.value == ["a", "b"])
    }

    @Test("The clock may advance before the work has begun to sleep (contract 15)")
    func earlyAdvance() async {
        let debouncer = makeDebouncer()
        async let value = debouncer.debounce(work("a")).value
        await clock.advance(by: .milliseconds(300))
        #expect(ran.value == ["a"])
        #expect(await value == .executed("a"))
    }

    @Test("A superseded call ends at once, not at the end of its period (W4)")
    func supersededAtOnce() async {
        let debouncer = makeDebouncer()
        let first = await debouncer.debounce(work("a"))
        _ = await debouncer.debounce(work("b"))
        // The clock does not advance.
        #expect(await first.value == .superseded)
    }

    @Test("Cancelling a call ends only that call's wait (W4)")
    func cancelWait() async {
        let debouncer = makeDebouncer()
        let task = await debouncer.debounce(work("a"))
        task.cancel()
        #expect(await task.value == .superseded)
        let next = await debouncer.debounce(work("b"))
        task.cancel()
        await clock.advance(by: .seconds(1))
        #expect(await next.value == .executed("b"))
        #expect(ran.value == ["b"])
    }

    @Test("Cancelling a call cancels its work (W4)")
    func cancelWork() async {
        let started = Gate()
        let cancelled = Gate()
        let debouncer = Debouncer<TestClock, Int>(for: .milliseconds(300), clock: clock)
        let task = await debouncer.debounce {
            try? await waitForCancellation(started: started)
            cancelled.open()
            return 1
        }
        await clock.advance(by: .milliseconds(300))
        await started.wait()
        task.cancel()
        await cancelled.wait()
        #expect(await task.value == .superseded)
    }

    @Test("The result of superseded work is dropped, although the work ignores its cancellation (W8)")
    func staleResult() async {
        let started = Gate()
        let finish = Gate()
        let debouncer = makeDebouncer()
        let first = await debouncer.debounce {
            started.open()
            await finish.wait()
            return "stale"
        }
        await clock.advance(by: .milliseconds(300))
        await started.wait()
        let second = await debouncer.debounce(work("b"))
        // At once: the work still runs.
        #expect(await first.value == .superseded)
        finish.open()
        await clock.advance(by: .milliseconds(300))
        #expect(await second.value == .executed("b"))
        #expect(await first.value == .superseded)
        #expect(debouncer.calls.count == 0)
    }

    @Test func theSystemsClock() async {
        let debouncer = Debouncer<ContinuousClock, Int>(for: .milliseconds(1))
        #expect(await debouncer.debounce { 42 }.value == .executed(42))
    }

    @Test func aCallOutlivesItsDebouncer() async {
        var debouncer: Debouncer<TestClock, String>? = makeDebouncer()
        let task = await debouncer?.debounce(work("a"))
        debouncer = nil
        await clock.advance(by: .milliseconds(300))
        #expect(await task?.value == .executed("a"))
    }
}
