import LatticeConcurrency
import LatticeCore

/// A clock that only moves when a test moves it.
///
/// ```swift
/// let clock = TestClock()
/// let harness = InteractorTestHarness(initialState: .init(), interactor: SearchInteractor(clock: clock))
/// harness.send(.queryChanged("swift"))
/// await clock.advance(by: .milliseconds(300))
/// ```
///
/// You can call ``advance(by:fileID:file:line:column:)`` before the work under test has begun to sleep, even if that
/// work was only started with `async let`. When it returns, the work that it woke has run until it sleeps again or
/// ends. A clock cannot know about work that has not used it yet. Therefore each step waits until the clock has
/// received no request for a while. If your work computes, or waits for something else, for longer than a few
/// milliseconds before it sleeps, wait for it in the test.
///
/// Sleepers that wake at the same instant are resumed in the order in which they began to sleep. A sleeper whose task
/// is cancelled immediately throws `CancellationError`. A clock can be used from any thread, and by several tests at a
/// time.
public final class TestClock: Clock {
    /// An instant of a ``TestClock``.
    public struct Instant: InstantProtocol {
        /// The duration since the clock's beginning.
        public let offset: Duration

        /// Creates an instant from the duration since the clock's beginning.
        public init(offset: Duration = .zero) {
            self.offset = offset
        }

        /// Returns the instant that is a duration later.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// Returns the duration from this instant to another one.
        public func duration(to other: Instant) -> Duration {
            other.offset - offset
        }

        /// Returns whether the first instant is earlier than the second one.
        public static func < (lhs: Instant, rhs: Instant) -> Bool {
            lhs.offset < rhs.offset
        }
    }

    private let sleepers: Locked<Sleepers>

    /// Creates a clock.
    ///
    /// - Parameter now: The initial instant of the clock.
    public init(now: Instant = Instant()) {
        sleepers = Locked(Sleepers(now: now))
    }

    /// The current instant of the clock.
    public var now: Instant {
        sleepers.withLock { $0.readTime() }
    }

    /// The minimum duration between two instants, which is 1 nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Suspends the task until the clock has been moved to `deadline`. Returns immediately if the clock has already
    /// reached it.
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

    /// Moves the clock forward, from one sleeper's deadline to the next, and lets the woken work run.
    /// - Parameters:
    ///   - duration: The duration by which the clock moves. With zero, the function only lets work run that can run.
    ///   - fileID: The module and file of the call, at which a failure is reported.
    ///   - file: The file path of the call, at which a failure is reported.
    ///   - line: The line of the call, at which a failure is reported.
    ///   - column: The column of the call, at which a failure is reported.
    /// - Complexity: O(*d* × *n*), where *d* is the number of deadlines on the way, and *n* is the number of sleepers.
    public func advance(
        by duration: Duration = .zero,
        fileID: StaticString = #fileID,
        file: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        guard duration >= .zero else {
            return CallSite(fileID, file, line, column)
                .fail("A test clock cannot be advanced by \(duration), because time does not run backwards.")
        }
        // The time is read before other work runs, which could move the clock too.
        await move(to: sleepers.withLock { $0.now }.advanced(by: duration))
    }

    /// Moves the clock forward to an instant, as ``advance(by:fileID:file:line:column:)`` does.
    /// - Complexity: O(*d* × *n*), where *d* is the number of deadlines on the way, and *n* is the number of sleepers.
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
                A test clock that shows \(now.offset) cannot be advanced to \(deadline.offset), because \
                time does not run backwards.
                """
            )
        }
        await move(to: deadline)
    }

    /// Moves the clock forward until no task sleeps any more.
    ///
    /// Work that sleeps repeatedly without end would never finish. After `timeout` of real time, this function reports
    /// an issue and returns. Time in which the machine was busy with other work hardly counts, because a single step
    /// counts for at most 20 ms.
    /// - Parameters:
    ///   - timeout: The maximum real time to run.
    ///   - fileID: The module and file of the call, at which a failure is reported.
    ///   - file: The file path of the call, at which a failure is reported.
    ///   - line: The line of the call, at which a failure is reported.
    ///   - column: The column of the call, at which a failure is reported.
    /// - Complexity: O(*d* × *n*), where *d* is the number of deadlines until then, and *n* is the number of sleepers.
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

    /// Moves the clock forward until no task sleeps any more, as ``run(timeout:fileID:file:line:column:)`` does.
    public func runToCompletion(
        fileID: StaticString = #fileID,
        file: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        await run(fileID: fileID, file: file, line: line, column: column)
    }
}

/// An instant of a ``TestClock``.
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

    /// Waits until the clock has received no request for a while.
    private func settle() async {
        var policy = QuiescencePolicy(sleepers.withLock { $0.activity })
        while !policy.isOver {
            await QuiescencePolicy.round()
            policy.observe(sleepers.withLock { $0.activity })
        }
    }
}
