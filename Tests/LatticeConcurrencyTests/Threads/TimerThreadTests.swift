import Dispatch
import Testing

@testable import LatticeConcurrency

@Suite(.timeLimit(.minutes(10)))
struct TimerThreadTests {
    @Test("Timers fire in order and not early, and never after they were cancelled")
    func order() async throws {
        let timers = TimerThread()
        let end = OneShot<Void>()
        let log = Order()
        // The first timer blocks the timer thread until all others have been added, however long that takes.
        let isAdded = DispatchSemaphore(value: 0)
        timers.after(.zero) { isAdded.wait() }
        let start = ContinuousClock.now
        func after(_ milliseconds: Int, _ work: @escaping @Sendable () -> Void) -> Timers.Key {
            timers.after(.milliseconds(milliseconds) - start.duration(to: .now), work)
        }
        _ = after(40) { end.complete() }
        _ = after(30) { log.add(3) }
        timers.cancel(after(15) { log.add(9) })
        _ = after(20) { log.add(2) }
        _ = after(-5) { log.add(1) }
        isAdded.signal()
        try await end.value
        #expect(log.numbers == [1, 2, 3])
        #expect(start.duration(to: .now) >= .milliseconds(40))
    }

    @Test("A wait that is cancelled ends and throws")
    func cancelled() async {
        let task = Task { try await ContinuousClock().wait(for: .seconds(3600)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("The timer thread waits for the system's clocks until the given instant")
    func clocks() async throws {
        let (continuous, suspending) = (ContinuousClock.now, SuspendingClock.now)
        try await ContinuousClock().wait(until: continuous.advanced(by: .milliseconds(5)))
        #expect(continuous.duration(to: .now) >= .milliseconds(5))
        try await SuspendingClock().wait(until: suspending.advanced(by: .milliseconds(10)))
        #expect(suspending.duration(to: .now) >= .milliseconds(10))
        try await ContinuousClock().wait(until: continuous)
    }

    @Test("Another clock sleeps by itself, also if its instants are those of a system clock")
    func anotherClock() async throws {
        try await Impatient().wait(for: .seconds(3600))
        let oneShot = OneShot<Bool>()
        oneShot.complete(at: ContinuousClock.now.advanced(by: .seconds(3600)), on: Impatient()) { $0 == nil }
        #expect(try await oneShot.value)
    }

    /// Does not sleep.
    private struct Impatient: Clock {
        var now: ContinuousClock.Instant { .now }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {}
    }

    private final class Order: Sendable {
        private let core = Locked<[Int]>([])

        var numbers: [Int] { core.withLock { $0 } }

        func add(_ number: Int) {
            core.withLock { $0.append(number) }
        }
    }
}
