import LatticeConcurrency
import LatticeCore

/// A clock that stands still until a test moves it.
///
/// ```swift
/// let clock = TestClock()
/// let harness = InteractorTestHarness(initialState: .init(), interactor: SearchInteractor(clock: clock))
/// harness.send(.queryChanged("swift"))
/// await clock.advance(by: .milliseconds(300))
/// ```
///
/// ``advance(by:fileID:file:line:column:)`` may be called before the work under test has begun to sleep, also where
/// that work was only started with `async let`; and what it wakes has run, as far as it gets without sleeping again,
/// when it returns. No clock can know of work that has not reached it yet, so each step waits until nobody has asked
/// this clock for anything for a while: see ``QuiescencePolicy``. Work that computes, or waits for something else, for
/// longer than that before it sleeps is to be awaited by the test itself.
///
/// Sleepers that wake at the same instant are resumed in the order in which they began to sleep. A sleeper whose task
/// is cancelled throws `CancellationError` at once. May be used from any thread, and by several tests at a time.
public final class TestClock: Clock {
    /// A moment of a ``TestClock``, counted from its beginning.
    public struct Instant: InstantProtocol {
        /// How long after the clock's beginning.
        public let offset: Duration

        public init(offset: Duration = .zero) {
            self.offset = offset
        }

        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        public func duration(to other: Instant) -> Duration {
            other.offset - offset
        }

        public static func < (lhs: Instant, rhs: Instant) -> Bool {
            lhs.offset < rhs.offset
        }
    }

    private let sleepers: Locked<Sleepers>

    /// - Parameter now: what the clock shows at first.
    public init(now: Instant = Instant()) {
        sleepers = Locked(Sleepers(now: now))
    }

    public var now: Instant {
        sleepers.withLock { $0.readTime() }
    }

    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Suspends until the clock has been moved to `deadline`; not at all if it shows that, or later, already.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = sleepers.withLock { $0.makeID() }
        defer { sleepers.withLock { $0.leave(id) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                sleepers.withLock { $0.sleep(id, until: deadline, continuation) }?.perform()
            }
        } onCancel: {
            sleepers.withLock { $0.cancel(id) }?.perform()
        }
    }

    /// Moves the clock forward, from one sleeper's deadline to the next, and lets run what wakes.
    /// - Parameter duration: how far; by nothing it only lets run what can run.
    /// - Complexity: O(*d* × *n*), where *d* is the number of deadlines on the way, and *n* that of the sleepers.
    public func advance(
        by duration: Duration = .zero,
        fileID: StaticString = #fileID,
        file: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        guard duration >= .zero else {
            return CallSite(fileID, file, line, column)
                .fail("A test clock cannot be advanced by \(duration): time does not run backwards.")
        }
        // Read before work that has not run yet could see another clock move it.
        await move(to: sleepers.withLock { $0.now }.advanced(by: duration))
    }

    /// Moves the clock forward to an instant, as ``advance(by:fileID:file:line:column:)`` does.
    /// - Complexity: O(*d* × *n*), where *d* is the number of deadlines on the way, and *n* that of the sleepers.
    public func advance(
        to deadline: Instant,
        fileID: StaticString = #fileID,
        file: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        let now = sleepers.withLock { $0.now }
        guard deadline >= now else {
            return CallSite(fileID, file, line, column).fail(
                """
                A test clock that shows \(now.offset) cannot be advanced to \(deadline.offset): \
                time does not run backwards.
                """
            )
        }
        await move(to: deadline)
    }

    /// Moves the clock forward until nobody sleeps any more.
    ///
    /// Work that sleeps again and again for ever would never be done: after `timeout` of real time this reports an
    /// issue and returns. Time in which the machine was busy with something else hardly counts: no step counts more
    /// than 20 ms.
    /// - Complexity: O(*d* × *n*), where *d* is the number of deadlines until then, and *n* that of the sleepers.
    public func run(
        timeout: Duration = .seconds(5),
        fileID: StaticString = #fileID,
        file: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        var spent = Duration.zero
        await settle()
        while let next = sleepers.withLock({ $0.nextDeadline }) {
            guard spent < timeout else {
                let count = sleepers.withLock { $0.count }
                return CallSite(fileID, file, line, column).fail(
                    """
                    Running a test clock took longer than \(timeout), and \(count) of its sleepers \
                    \(count == 1 ? "is" : "are") still asleep, the next until \(next.offset). Cancel work that sleeps \
                    again and again, advance the clock by a duration instead, or run it with a longer timeout.
                    """
                )
            }
            let start = ContinuousClock.now
            await move(to: next)
            spent += min(start.duration(to: .now), QuiescencePolicy.longestStep)
        }
    }

    /// Moves the clock forward until nobody sleeps any more, as ``run(timeout:fileID:file:line:column:)`` does.
    public func runToCompletion(
        fileID: StaticString = #fileID,
        file: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        await run(fileID: fileID, file: file, line: line, column: column)
    }
}

/// A moment of a ``TestClock``.
public typealias TestInstant = TestClock.Instant

extension TestClock {
    private func move(to deadline: Instant) async {
        await settle()
        while true {
            let wakening = sleepers.withLock { $0.advance(towards: deadline) }
            wakening.perform()
            await settle()
            if wakening.isLast { return }
        }
    }

    /// Waits until what runs has come to rest: until nobody has asked this clock for anything for a while.
    private func settle() async {
        var policy = QuiescencePolicy(sleepers.withLock { $0.activity })
        while !policy.isOver {
            await QuiescencePolicy.round()
            policy.look(at: sleepers.withLock { $0.activity })
        }
    }
}
